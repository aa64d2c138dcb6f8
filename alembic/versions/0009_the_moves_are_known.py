"""The events are held against the words that a move may have."""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE events VALIDATE CONSTRAINT events_move")


def downgrade() -> None:
    pass
