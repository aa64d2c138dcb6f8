"""A job that has ended keeps no secret; rows are looked at in the next revision."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "ALTER TABLE jobs ADD CONSTRAINT jobs_secrets_end_check "
        "CHECK (finished_at IS NULL OR payload -> 'secrets' IS NULL) NOT VALID"
    )


def downgrade() -> None:
    op.drop_constraint(op.f("jobs_secrets_end_check"), "jobs")
