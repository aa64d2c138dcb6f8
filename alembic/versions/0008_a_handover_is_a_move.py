"""The events may tell of a handover; rows are looked at in the next revision."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "ALTER TABLE events DROP CONSTRAINT events_move, ADD CONSTRAINT events_move "
        "CHECK (move IN ('again', 'cancel', 'claim', 'enqueue', 'fail', 'hand_over', "
        "'release', 'rescue', 'retry', 'succeed')) NOT VALID"
    )


def downgrade() -> None:
    op.execute("DELETE FROM events WHERE move = 'hand_over'")
    op.execute(
        "ALTER TABLE events DROP CONSTRAINT events_move, ADD CONSTRAINT events_move "
        "CHECK (move IN ('again', 'cancel', 'claim', 'enqueue', 'fail', "
        "'release', 'rescue', 'retry', 'succeed'))"
    )
