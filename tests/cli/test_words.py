"""Plain numbers are read alike by the command and by the book."""

import pytest

from aiinfra import words
from aiinfra.book import calls


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("64", 64), ("-3", -3), (".5", 0.5), ("1_000", 1000), ("1e3", 1000.0), ("2.", 2.0), (" 7 ", 7), ("1__0", "1__0"), ("1_", "1_"),
        ("1._", "1._"), ("1e400", "1e400"), ("9" * 5000, "9" * 5000), ("\u0663", "\u0663"), ("10 ms", "10 ms"), ("nan", "nan"), ("", ""),
    ],
)  # fmt: skip
def test_a_number_is_a_number_and_the_rest_is_text(text, value):
    found = words.number(text)
    assert found == value and type(found) is type(value)
    assert calls.number_or_text is words.number
