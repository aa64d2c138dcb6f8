"""The first rows: uploads, jobs, workers, events and the house."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "events",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column(
            "at",
            sa.DateTime(timezone=True),
            server_default=sa.text("clock_timestamp()"),
            nullable=False,
        ),
        sa.Column(
            "move",
            sa.Enum(
                "enqueue",
                "claim",
                "succeed",
                "retry",
                "fail",
                "release",
                "rescue",
                "cancel",
                "again",
                name="move",
                native_enum=False,
                length=None,
            ),
            nullable=False,
        ),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.Column("lease_id", sa.Uuid(), nullable=True),
        sa.Column(
            "detail", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True
        ),
        sa.CheckConstraint(
            "move IN ('again', 'cancel', 'claim', 'enqueue', 'fail', "
            "'release', 'rescue', 'retry', 'succeed')",
            name=op.f("events_move"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("events_pkey")),
    )
    op.create_index("events_job_id", "events", ["job_id"], unique=False)
    op.create_table(
        "house",
        sa.Column("id", sa.Uuid(), server_default=sa.text("gen_random_uuid()"), nullable=False),
        sa.Column(
            "swept_at", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("house_pkey")),
    )
    op.create_index("house_is_one_row", "house", [sa.literal_column("(true)")], unique=True)
    op.execute("INSERT INTO house DEFAULT VALUES")
    op.create_table(
        "uploads",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=True),
        sa.Column("received", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("format", sa.Text(), nullable=True),
        sa.Column("media_type", sa.Text(), nullable=True),
        sa.Column("sha256", sa.Text(), nullable=True),
        sa.Column("storage_key", sa.Text(), nullable=True),
        sa.Column(
            "error", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True
        ),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("completed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "deleted_at IS NULL OR (name = '' AND sha256 IS NULL)",
            name=op.f("uploads_tombstone_is_blank"),
        ),
        sa.CheckConstraint(
            "completed_at IS NULL OR received = size", name=op.f("uploads_complete")
        ),
        sa.CheckConstraint(
            "received >= 0 AND (size IS NULL OR received <= size)", name=op.f("uploads_received")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("uploads_pkey")),
        sa.UniqueConstraint("storage_key", name=op.f("uploads_storage_key_key")),
    )
    op.create_index(
        "uploads_expiring",
        "uploads",
        ["expires_at"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NULL"),
    )
    op.create_index(
        "uploads_forgotten",
        "uploads",
        ["deleted_at"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NOT NULL"),
    )
    op.create_index(
        "uploads_unstamped",
        "uploads",
        ["completed_at"],
        unique=False,
        postgresql_where=sa.text("expires_at IS NULL AND deleted_at IS NULL"),
    )
    op.create_index(
        "uploads_untidied",
        "uploads",
        ["deleted_at"],
        unique=False,
        postgresql_where=sa.text("deleted_at IS NOT NULL AND storage_key IS NOT NULL"),
    )
    op.create_table(
        "workers",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column(
            "offers", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False
        ),
        sa.Column("slots", sa.Integer(), nullable=False),
        sa.Column("busy", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column(
            "started_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column(
            "heartbeat", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("missed", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("lost_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("missed >= 0", name=op.f("workers_missed")),
        sa.CheckConstraint("slots >= 0 AND busy >= 0", name=op.f("workers_slots")),
        sa.PrimaryKeyConstraint("name", name=op.f("workers_pkey")),
        postgresql_with={
            "fillfactor": "50",
            "autovacuum_vacuum_scale_factor": "0",
            "autovacuum_vacuum_threshold": "200",
        },
    )
    op.create_table(
        "jobs",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("upload_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column(
            "payload", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=False
        ),
        sa.Column(
            "status",
            sa.Enum(
                "queued",
                "running",
                "succeeded",
                "failed",
                "cancelled",
                name="status",
                native_enum=False,
                length=None,
            ),
            server_default=sa.text("'queued'"),
            nullable=False,
        ),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("losses", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("releases", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("max_attempts", sa.Integer(), server_default=sa.text("3"), nullable=False),
        sa.Column(
            "run_after", sa.DateTime(timezone=True), server_default=sa.text("now()"), nullable=False
        ),
        sa.Column("locked_by", sa.Text(), nullable=True),
        sa.Column("lease_id", sa.Uuid(), nullable=True),
        sa.Column("heartbeat", sa.DateTime(timezone=True), nullable=True),
        sa.Column("progress", sa.REAL(), server_default=sa.text("0"), nullable=False),
        sa.Column("stage", sa.Text(), nullable=True),
        sa.Column(
            "result", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True
        ),
        sa.Column(
            "error", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True
        ),
        sa.Column(
            "created_at",
            sa.DateTime(timezone=True),
            server_default=sa.text("now()"),
            nullable=False,
        ),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "(progress < 1) OR status = 'succeeded'", name=op.f("jobs_progress_ends_with_success")
        ),
        sa.CheckConstraint(
            "(status = 'running') = (lease_id IS NOT NULL)", name=op.f("jobs_lease")
        ),
        sa.CheckConstraint(
            "(status = 'running') = (locked_by IS NOT NULL)", name=op.f("jobs_locked_by")
        ),
        sa.CheckConstraint(
            "(status = 'succeeded') = (result IS NOT NULL)", name=op.f("jobs_result")
        ),
        sa.CheckConstraint(
            "(status IN ('cancelled', 'failed', 'succeeded')) = (finished_at IS NOT NULL)",
            name=op.f("jobs_finished"),
        ),
        sa.CheckConstraint(
            "status <> 'failed' OR error IS NOT NULL", name=op.f("jobs_failed_has_reason")
        ),
        sa.CheckConstraint(
            "status IN ('cancelled', 'failed', 'queued', 'running', 'succeeded')",
            name=op.f("jobs_status"),
        ),
        sa.CheckConstraint("attempts - losses - releases >= 0", name=op.f("jobs_counts")),
        sa.CheckConstraint("progress BETWEEN 0 AND 1", name=op.f("jobs_progress")),
        sa.ForeignKeyConstraint(["locked_by"], ["workers.name"], name=op.f("jobs_locked_by_fkey")),
        sa.ForeignKeyConstraint(
            ["upload_id"], ["uploads.id"], name=op.f("jobs_upload_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("jobs_pkey")),
        sa.UniqueConstraint("upload_id", "number", name="jobs_upload_id_number_key"),
        postgresql_with={
            "fillfactor": "70",
            "autovacuum_vacuum_scale_factor": "0.01",
            "autovacuum_vacuum_threshold": "500",
            "autovacuum_analyze_scale_factor": "0.02",
        },
    )
    op.create_index(
        "jobs_ready",
        "jobs",
        ["kind", "run_after", "id"],
        unique=False,
        postgresql_where=sa.text("status = 'queued'"),
    )
    op.create_index(
        "jobs_running",
        "jobs",
        ["locked_by"],
        unique=False,
        postgresql_where=sa.text("locked_by IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index(
        "jobs_running", table_name="jobs", postgresql_where=sa.text("locked_by IS NOT NULL")
    )
    op.drop_index("jobs_ready", table_name="jobs", postgresql_where=sa.text("status = 'queued'"))
    op.drop_table("jobs")
    op.drop_table("workers")
    op.drop_index(
        "uploads_untidied",
        table_name="uploads",
        postgresql_where=sa.text("deleted_at IS NOT NULL AND storage_key IS NOT NULL"),
    )
    op.drop_index(
        "uploads_unstamped",
        table_name="uploads",
        postgresql_where=sa.text("expires_at IS NULL AND deleted_at IS NULL"),
    )
    op.drop_index(
        "uploads_forgotten",
        table_name="uploads",
        postgresql_where=sa.text("deleted_at IS NOT NULL"),
    )
    op.drop_index(
        "uploads_expiring", table_name="uploads", postgresql_where=sa.text("deleted_at IS NULL")
    )
    op.drop_table("uploads")
    op.drop_index("house_is_one_row", table_name="house")
    op.drop_table("house")
    op.drop_index("events_job_id", table_name="events")
    op.drop_table("events")
