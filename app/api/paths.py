"""What stands in a path where clients write what they like: names of any kind, numbers of jobs."""

from starlette.convertors import Convertor, register_url_convertor


class Anything(Convertor[str]):
    """Starlette's own `path` does not match a newline, and a file name may hold one."""

    regex = r"(?s:.*)"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


class Number(Convertor[int]):
    """Starlette's own `int` also matches what Python refuses to read: thousands of digits."""

    regex = "[1-9][0-9]{0,8}"

    def convert(self, value: str) -> int:
        return int(value)

    def to_string(self, value: int) -> str:
        return str(value)


register_url_convertor("anything", Anything())
register_url_convertor("number", Number())
NAME = "{name:anything}"
JOB = "/uploads/{upload_id:uuid}/jobs/{number:number}"
