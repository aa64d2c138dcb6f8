"""What a column of a spreadsheet is called: A, …, Z, AA; counted from 1."""

_LETTERS = 26


def name_of(number: int) -> str:
    """Return the name of the column with this number."""
    name = ""
    while number:
        number, rest = divmod(number - 1, _LETTERS)
        name = chr(ord("A") + rest) + name
    return name


def number_of(name: str) -> int:
    """Return the number of the column with this name."""
    number = 0
    for letter in name:
        number = number * _LETTERS + ord(letter) - ord("A") + 1
    return number
