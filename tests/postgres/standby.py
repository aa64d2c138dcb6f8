"""A copy of a throw-away server that follows it."""

from tests.postgres import Server


class Standby(Server):
    """Follows another server, and tells it what its own sessions still need."""

    def __init__(self, primary: Server) -> None:
        self._primary = primary
        super().__init__(
            primary.binaries, hot_standby_feedback="on", wal_receiver_status_interval="1s"
        )

    def promote(self) -> None:
        """Make it a server of its own, which takes changes; the other goes on as it was."""
        connection = self.connect()
        connection.autocommit = True
        connection.cursor().execute("SELECT pg_promote()")
        connection.close()

    def _run(self, program: str, *arguments: str) -> None:
        if program == "initdb":
            options = ["-R", "-h", "127.0.0.1", "-p", str(self._primary.port), "-U", "rowmill"]
            super()._run("pg_basebackup", *options, "--checkpoint=fast")

    def _execute(self, statement: str) -> None:
        """Write nothing: what it has is the other's."""
