"""The rows are held against the rule that a job that has ended keeps no secret."""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE jobs VALIDATE CONSTRAINT jobs_secrets_end_check")


def downgrade() -> None:
    pass
