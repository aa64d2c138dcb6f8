"""An upload knows whose it is; those that came before belong to whoever has the address."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("uploads", sa.Column("owner", sa.Text(), nullable=True))
    op.add_column("uploads", sa.Column("manage", sa.Text(), nullable=True))


def downgrade() -> None:
    for column in ("manage", "owner"):
        op.drop_column("uploads", column)
