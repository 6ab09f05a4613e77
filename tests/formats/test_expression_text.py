"""Expressions from text: what `show` prints is read back, and mistakes have a column."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ebb.formats.errors import InputError
from ebb.formats.expression_text import parse_expression
from ebb.formats.expressions import (
    BINARY_OPERATORS,
    At,
    Binary,
    Conditional,
    Element,
    Expression,
    Integer,
    Name,
    Unary,
    minus,
    show,
)

NAMES = st.sampled_from(["X", "P0.r", "_X", "while", "P.if", "x1"])
ATOMS = st.one_of(st.integers(-20, 20).map(Integer), NAMES.map(Name), st.just(At("P0", "cs")))


def larger(parts: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.one_of(
        st.builds(Element, NAMES, parts),
        st.builds(lambda part: Unary("!", part), parts),
        parts.map(minus),
        st.builds(Binary, st.sampled_from(sorted(BINARY_OPERATORS)), parts, parts),
        st.builds(Conditional, parts, parts, parts),
    )


@given(st.recursive(ATOMS, larger, max_leaves=12))
def test_what_is_shown_is_read_back(expression: Expression) -> None:
    assert parse_expression(show(expression)) == expression


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "expected a number, a variable or `(`, not the end"),
        ("X == ", 5, "expected a number, a variable or `(`, not the end"),
        ("X = 1", 3, "`=` has no place in an expression"),
        ("(X", 3, "expected `)`, not the end"),
        ("X Y", 3, "expected an operator or the end, not `Y`"),
        ("Q[0", 4, "expected `]`, not the end"),
        ("while == 1", 1, "`while` is a keyword"),
        ("X ? 1", 6, "expected `:`, not the end"),
        ("(" * 200 + "X" + ")" * 200, 101, "nested more than 100 deep"),
        ("!" * 200 + "X", 102, "nested more than 100 deep"),
        ("9" * 2000, 1, "a number of more than 1000 digits"),
    ],
)
def test_mistakes(text: str, column: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_expression(text)
    assert caught.value.message == message
    assert caught.value.position is not None
    assert caught.value.position.column == column
