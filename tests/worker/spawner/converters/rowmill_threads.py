"""A converter whose import starts a thread, as some numeric libraries do."""

import threading

threading.Thread(target=threading.Event().wait, daemon=True).start()


def convert() -> None:
    """Convert nothing."""
