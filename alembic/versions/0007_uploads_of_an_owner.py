"""An index of the uploads that have an owner, made while others write."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.get_context().autocommit_block():
        op.execute("SET statement_timeout = 0")
        op.execute("DROP INDEX CONCURRENTLY IF EXISTS uploads_owned")  # what a failed try left
        op.execute(
            "CREATE INDEX CONCURRENTLY uploads_owned ON uploads (owner, created_at, id) "
            "WHERE owner IS NOT NULL AND deleted_at IS NULL"
        )
        op.execute("SET statement_timeout = '60s'")


def downgrade() -> None:
    op.drop_index("uploads_owned", table_name="uploads")
