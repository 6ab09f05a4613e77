"""Positions in JSON text, and what strict reading refuses."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebb.formats.errors import InputError, Position
from ebb.formats.json_text import Path, key_position, parse, value_position

TEXT = '{"a": [10, {"b": "]"}],\n "c\\"": {"d": [[], -1]},\n\n  "é": null}\n'


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        ((), 1, 1),
        (("a",), 1, 7),
        (("a", 0), 1, 8),
        (("a", 1), 1, 12),
        (("a", 1, "b"), 1, 18),
        (('c"',), 2, 9),
        (('c"', "d", 0), 2, 16),
        (('c"', "d", 1), 2, 20),
        (("é",), 4, 8),
        (("a", 1, "missing", 3), 1, 12),
        (("a", 7), 1, 7),
    ],
)
def test_position_of_a_value(path: Path, line: int, column: int) -> None:
    assert value_position(TEXT, path) == Position(line, column)


def test_position_of_a_key() -> None:
    assert key_position(TEXT, ("a", 1, "b")) == Position(1, 13)
    assert key_position(TEXT, ('c"',)) == Position(2, 2)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "not JSON"),
        ("[1,\n 2", 2, 3, "not JSON"),
        ("[1,\n NaN]", 2, 2, "NaN is not JSON"),
        ('{"x": [-Infinity]}', 1, 8, "-Infinity is not JSON"),
        ('{"x": "NaN", "y": Infinity}', 1, 19, "Infinity is not JSON"),
        ('{"x": {"x": 1},\n "y": 2, "\\u0078": 3}', 2, 10, "the key 'x' occurs twice"),
        (f"[{'9' * 100}, {'9' * 101}]", 1, 104, "an integer of more than 100 digits"),
        (f'["{"9" * 101}", -{"9" * 101}]', 1, 107, "an integer of more than 100 digits"),
        ("[1, " + "[" * 100_000, 1, 454, "nested deeper than 450"),
        ('{"a":' * 100_000, 1, 2251, "nested deeper than 450"),
        ("[" * 100_000 + "]" * 100_000, 1, 451, "nested deeper than 450"),
    ],
)
def test_what_is_refused(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert caught.value.message.startswith(message)
    assert caught.value.position == Position(line, column)


def test_equal_keys_in_different_objects_are_allowed() -> None:
    assert parse('[{"a": 1}, {"a": {"a": 2}}]') == [{"a": 1}, {"a": {"a": 2}}]


def test_digits_up_to_the_limit_are_read() -> None:
    assert parse("-" + "9" * 100) == -(10**100 - 1)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(VALUES, st.sampled_from([None, 0, 3]))
def test_every_value_stands_where_its_position_says(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    for path, part in _parts(value, ()):
        position = value_position(text, path)
        offset = sum(len(line) + 1 for line in text.split("\n")[: position.line - 1]) + position.column - 1
        assert json.JSONDecoder().raw_decode(text, offset)[0] == part


def _parts(value: Any, path: Path) -> list[tuple[Path, Any]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(path, value)] + [part for step, item in items for part in _parts(item, (*path, step))]
