"""An index of the uploads in receipt, made while others write."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.get_context().autocommit_block():
        op.execute("SET statement_timeout = 0")
        op.execute("DROP INDEX CONCURRENTLY IF EXISTS uploads_receiving")  # what a failed try left
        op.execute(
            "CREATE INDEX CONCURRENTLY uploads_receiving ON uploads (created_at) "
            "WHERE completed_at IS NULL AND deleted_at IS NULL"
        )
        op.execute("SET statement_timeout = '60s'")


def downgrade() -> None:
    op.drop_index("uploads_receiving", table_name="uploads")
