"""What a command says when a person has to do something before it can run."""


class CannotRun(Exception):
    """The text names what is wrong and what to do; no traceback helps anybody."""
