"""The part of a path that a client made up: anything at all, line breaks included."""

from starlette.convertors import Convertor, register_url_convertor


class Anything(Convertor[str]):
    """Starlette's own `path` does not match a newline, and a file name may hold one."""

    regex = r"(?s:.*)"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("anything", Anything())
NAME = "{name:anything}"
