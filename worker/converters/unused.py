"""What people are told of an option that changed nothing, for the format has no use for it."""


def was_not_used(option: str, title: str) -> str:
    """Return the sentence; `title` is the format's, as people know it."""
    return f"{option} has no meaning for {title} and was not used."
