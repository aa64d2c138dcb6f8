"""What an upload that comes in parts needs of its row, and the keys that clients make."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "uploads",
        sa.Column("writer_epoch", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
    )
    op.add_column("uploads", sa.Column("sent_metadata", sa.Text(), nullable=True))
    op.add_column(
        "uploads",
        sa.Column(
            "wishes", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True
        ),
    )
    op.add_column("uploads", sa.Column("concat", sa.Text(), nullable=True))
    op.create_table(
        "idempotency_keys",
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("upload_id", sa.Uuid(), nullable=True),
        sa.Column("holder", sa.Uuid(), nullable=False),
        sa.Column("held_until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["upload_id"],
            ["uploads.id"],
            name=op.f("idempotency_keys_upload_id_fkey"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("scope", "digest", name=op.f("idempotency_keys_pkey")),
    )
    op.create_index("idempotency_keys_expires_at", "idempotency_keys", ["expires_at"])
    op.create_index("idempotency_keys_upload_id", "idempotency_keys", ["upload_id"])


def downgrade() -> None:
    op.drop_table("idempotency_keys")
    for column in ("concat", "wishes", "sent_metadata", "writer_epoch"):
        op.drop_column("uploads", column)
