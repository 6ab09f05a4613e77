"""From `.bp` text to a `Program`: the lark grammar in `bp.lark` and what each of its rules builds."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Any

import lark
from lark import Token, v_args

from ebb.formats import bp
from ebb.formats.bp import Expression
from ebb.formats.bp_layout import Layout
from ebb.formats.bp_nesting import check_nesting
from ebb.formats.errors import InputError, Position
from ebb.formats.syntax_error import NEVER_CLOSED, place, unexpected


def parse(text: str) -> bp.Program:
    """The program in a text; an `InputError` with the place of the first thing that does not fit."""
    _check_version(text)
    parser, layout = _parser()
    layout.begin(text)
    try:
        program: bp.Program = parser.parse(text)  # type: ignore[assignment]  # the transformer makes it one
    except lark.exceptions.UnexpectedToken as error:
        raise _unexpected(error.token, error.accepts or error.expected, text) from None
    except lark.exceptions.UnexpectedCharacters as error:
        where = Position(error.line, error.column)
        if text.startswith("/*", error.pos_in_stream):
            raise InputError(NEVER_CLOSED, where) from None
        raise InputError(f"unexpected character {error.char!r}", where) from None
    check_nesting(program)
    return program


def _check_version(text: str) -> None:
    heading = re.match(r"// ebb boolean program (\S+)", text)
    if heading and heading[0] != bp.HEADING:
        raise InputError(f"version {heading[1]} of the format is not known; this is a reader of version 1", bp.NOWHERE)


@cache
def _parser() -> tuple[lark.Lark, Layout]:
    grammar = resources.files("ebb.formats").joinpath("bp.lark").read_text(encoding="utf-8")
    layout = Layout()
    parser = lark.Lark(
        grammar, parser="lalr", lexer="basic", maybe_placeholders=True, postlex=layout, transformer=_Builder(layout)
    )
    return parser, layout


_WORDS = {
    "SEMICOLON": "`;`", "LPAR": "`(`", "RPAR": "`)`", "COMMA": "`,`", "COLON": "`:`", "LSQB": "`[`", "RSQB": "`]`",
    "MORETHAN": "`>`", "LESSTHAN": "`<`", "ASSIGN": "`:=`", "NAME": "a name", "NOBODY": "`_`", "INTEGER": "a number",
}  # fmt: skip
_BINARY = frozenset({"OR", "XOR", "AND", "COMPARE", "IMPLIES", "QMARK"})
_BEGINS_STATEMENT = frozenset(
    {
        *("SKIP", "GOTO", "ASSUME", "ASSERT", "NAME", "NOBODY", "INTEGER", "RETURN", "START_THREAD", "END_THREAD"),
        *("ATOMIC_BEGIN", "ATOMIC_END", "DEAD", "IF", "WHILE"),
    }
)
_BEGINS_EXPRESSION = frozenset({"LPAR", "TRUE", "FALSE", "INTEGER", "STAR", "NAME", "NEXT", "SCHOOSE", "NOT"})


def _unexpected(token: Token, accepted: set[str], text: str) -> InputError:
    """What stands there and what could have, in the user's words."""
    message, where = unexpected(token, text)
    if token.type in _BINARY and accepted & _BINARY:
        message += ": put parentheses, because readers of this language disagree on what binds tighter"
    elif token in ("=", "==") and "ASSIGN" in accepted:
        message += "; `:=` assigns"
    elif token.type in ("DECL", "ENFORCE") and "SKIP" in accepted:
        message += f": {token} stands before the first statement"
    elif token in bp.KEYWORDS and "NAME" in accepted and not accepted & {"SKIP", "STAR"}:
        message += f": {token} is a keyword"
    elif expected := sorted(_expected(accepted)):
        message += f"; expected {' or '.join(expected)}"
    return InputError(message, where)


def _expected(accepted: set[str]) -> Iterator[str]:
    """What could have stood there. Nobody wants to read which operators and statements there are."""
    accepted = accepted - _BINARY - {"$END"}
    for several, what in ((_BEGINS_STATEMENT, "a statement"), (_BEGINS_EXPRESSION, "an expression")):
        if accepted >= several:
            accepted -= several
            accepted.discard("SEMICOLON")  # an empty statement
            yield what
    for name in accepted:
        yield _WORDS.get(name, f"`{name.lower()}`")


_SPELLINGS: dict[str, bp.Operator] = {
    "&&": "&", "&": "&", "||": "|", "|": "|", "^": "^", "=>": "=>", "->": "=>",
    "=": "=", "==": "=", "<=>": "=", "!=": "!=", "<>": "!=",
}  # fmt: skip

# `at FILE:LINE:COLUMN note`; the column and the note may be missing.
_ORIGIN = re.compile(r"(.+?):([1-9]\d{0,8})(?::([1-9]\d{0,8}))?(?:\s+(.*))?")
_MARK = re.compile(r"//@\s*(\w+)\s*(.*)")
_ANYTHING, _SOMETHING = re.compile(r".*"), re.compile(r".+")


def _marks(comments: Iterable[str], known: Mapping[str, re.Pattern[str]]) -> tuple[dict[str, re.Match[str]], str]:
    """What structured comments of the known kinds say, and the comments that are left."""
    marks: dict[str, re.Match[str]] = {}
    kept = []
    for comment in comments:
        for part in re.split(r"\s+(?=//@)", comment) if comment.startswith("//") else [comment]:
            mark = _MARK.fullmatch(part.rstrip())
            said = known[mark[1]].fullmatch(mark[2]) if mark and mark[1] in known else None
            if mark and said and mark[1] not in marks:
                marks[mark[1]] = said
            else:  # what says something a second time is a comment like any other
                kept.append(part.rstrip().replace("//@", "//", 1) if said else part.rstrip())
    return marks, " ".join(kept)


# The first token of a statement after its labels, what it does, and the names in it that are no expressions.
_Start = tuple[Token, bp.Action, tuple[Token, ...]]


@v_args(inline=True)
class _Builder(lark.Transformer[Token, Any]):
    """One method a rule. Anonymous tokens are dropped by lark; named ones arrive as arguments."""

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self._layout = layout

    def start(self, *items: bp.Declaration | bp.Function) -> bp.Program:
        declarations = tuple(item for item in items if isinstance(item, bp.Declaration))
        functions = tuple(item for item in items if isinstance(item, bp.Function))
        for before, after in pairwise(items):
            if isinstance(before, bp.Function) and isinstance(after, bp.Declaration):
                raise InputError("global variables are declared before the first function", after.at)
        return bp.Program(declarations, functions, self._layout.above(None))

    # -- declarations

    def name_list(self, *names: Token) -> tuple[Token, ...]:
        return names

    def declaration(self, word: Token, names: tuple[Token, ...]) -> bp.Declaration:
        marks, comments = self._comments(word, predicate=_SOMETHING)
        predicates: tuple[str, ...] = ()
        if "predicate" in marks:
            predicates = tuple(part.strip() for part in marks["predicate"][0].split(" | "))
            if len(predicates) != len(names):
                raise InputError(
                    f"as many predicates as variables, separated by ` | `: here are {len(predicates)} and {len(names)}",
                    place(word),
                )
        return bp.Declaration(tuple(map(str, names)), predicates, comments, tuple(map(place, names)), place(word))

    def enforce(self, word: Token, condition: Expression) -> bp.Enforce:
        return bp.Enforce(condition, self._layout.comments(word), place(word))

    def result(self, word: Token, count: Token | None = None) -> tuple[Token, int]:
        if word == "void":
            return word, 0
        if count is not None and (len(count) > 3 or int(count) == 0):
            raise InputError("a function has from 1 to 999 results, or is void", place(count))
        return word, 1 if count is None else int(count)

    def function(self, result: tuple[Token, int], name: Token, parameters: Any, _: Token, *rest: Any) -> bp.Function:
        word, results = result
        *head, body, end = rest
        marks, comments = self._comments(word, process=_ANYTHING)
        process = (marks["process"][0] or str(name)) if "process" in marks else ""
        return bp.Function(
            str(name),
            tuple(map(str, parameters or ())),
            results,
            tuple(item for item in head if isinstance(item, bp.Declaration)),
            tuple(item for item in head if isinstance(item, bp.Enforce)),
            body,
            process,
            comments,
            self._layout.above(end),
            " ".join(self._layout.beside(end)),
            place(name),
        )

    def _comments(self, first: Token, **known: re.Pattern[str]) -> tuple[dict[str, re.Match[str]], bp.Comments]:
        """What the structured comments beside an item say, and its other comments."""
        marks, beside = _marks(self._layout.beside(first), known)
        return marks, bp.Comments(self._layout.above(first), beside)

    # -- statements

    def statements(self, *items: Any) -> tuple[bp.Statement, ...]:
        return items

    def statement(self, *parts: Any) -> bp.Statement:
        *labels, (word, action, names) = parts
        first = labels[0] if labels else word
        known = {"at": _ORIGIN, "overflow": _ANYTHING} | (
            {"checks": _SOMETHING} if isinstance(action, bp.Assert) else {}
        )
        marks, comments = self._comments(first, **known)
        if "overflow" in marks and (why := marks["overflow"][0]):  # nothing else keeps it
            comments = replace(comments, beside=f"{comments.beside} // {why}".lstrip())
        return bp.Statement(
            action,
            tuple(map(str, labels)),
            _origin(marks["at"]) if "at" in marks else None,
            marks["checks"][0] if "checks" in marks else "",
            "overflow" in marks,
            comments,
            place(word),
            tuple(map(place, names)),
            tuple(map(place, labels)),
        )

    def if_(self, word: Token, condition: Expression, _: Token | None, body: Any, *rest: Any) -> _Start:
        *more, end = rest
        branches, below = [(condition, body)], []
        *elsifs, otherwise_word, otherwise = more
        for number in range(0, len(elsifs), 4):
            token, elsif, __, statements = elsifs[number : number + 4]
            below.append(self._layout.above(token))
            branches.append((elsif, statements))
        if otherwise_word is not None:
            below.append(self._layout.above(otherwise_word))
        below.append(self._layout.above(end))
        return word, bp.If(tuple(branches), otherwise, tuple(below) if any(below) else ()), ()

    def while_(self, word: Token, condition: Expression, _: Token | None, body: Any, end: Token) -> _Start:
        return word, bp.While(condition, body, self._layout.above(end)), ()

    def skip(self, word: Token) -> _Start:
        return word, bp.Skip(), ()

    def goto(self, word: Token, *targets: Token) -> _Start:
        return word, bp.Goto(tuple(map(str, targets))), targets

    def assume(self, word: Token, condition: Expression) -> _Start:
        return word, bp.Assume(condition), ()

    def assert_(self, word: Token, condition: Expression) -> _Start:
        return word, bp.Assert(condition), ()

    def targets(self, *names: Token) -> tuple[Token, ...]:
        return names

    def assign(self, targets: Any, _: Token, values: Any, word: Token | None, constrain: Any) -> _Start:
        return targets[0], bp.Assign(tuple(map(str, targets)), values, constrain), targets

    def call(self, name: Token, arguments: Any) -> tuple[Token, tuple[Expression, ...]]:
        return name, arguments or ()

    def call_for_results(self, targets: Any, _: Token, call: Any) -> _Start:
        return targets[0], bp.Call(tuple(map(str, targets)), str(call[0]), call[1]), (*targets, call[0])

    def call_for_effect(self, call: Any) -> _Start:
        return call[0], bp.Call((), str(call[0]), call[1]), (call[0],)

    def return_(self, word: Token, values: Any) -> _Start:
        return word, bp.Return(values or ()), ()

    def start_thread(self, word: Token, call: Any) -> _Start:
        return word, bp.StartThread(str(call[0]), call[1]), (call[0],)

    def start_thread_at(self, word: Token, _: Token, label: Token) -> _Start:
        return word, bp.StartThreadAt(str(label)), (label,)

    def end_thread(self, word: Token) -> _Start:
        return word, bp.EndThread(), ()

    def atomic_begin(self, word: Token) -> _Start:
        return word, bp.AtomicBegin(), ()

    def atomic_end(self, word: Token) -> _Start:
        return word, bp.AtomicEnd(), ()

    def dead(self, word: Token, names: Any) -> _Start:
        return word, bp.Dead(tuple(map(str, names or ()))), names or ()

    # -- expressions

    def expressions(self, *expressions: Expression) -> tuple[Expression, ...]:
        return expressions

    def conditional(self, condition: Expression, then: Expression, otherwise: Expression) -> Expression:
        return bp.Conditional(condition, then, otherwise)

    def implies(self, left: Expression, _: Token, right: Expression) -> Expression:
        return bp.Operation("=>", (left, right))

    def operation(self, *parts: Any) -> Expression:
        return bp.Operation(_SPELLINGS[parts[1]], parts[::2])

    def comparison(self, left: Expression, operator: Token, right: Expression) -> Expression:
        return bp.Operation(_SPELLINGS[operator], (left, right))

    def not_(self, _: Token, operand: Expression) -> Expression:
        return bp.Not(operand)

    def parenthesised(self, inner: Expression) -> Expression:
        return inner

    def constant(self, token: Token) -> Expression:
        try:
            return _CONSTANTS[token]
        except KeyError:
            raise InputError("a Boolean constant is one of 0, 1, F, T", place(token)) from None

    def nondet(self, _: Token) -> Expression:
        return bp.Nondet()

    def variable(self, token: Token) -> Expression:
        return bp.Variable(str(token), place(token))

    def next(self, token: Token) -> Expression:
        return bp.Next(token[1:].lstrip(), place(token))

    def schoose(self, _: Token, true_if: Expression, false_if: Expression) -> Expression:
        return bp.Schoose(true_if, false_if)


_CONSTANTS: dict[str, Expression] = {
    "T": bp.TRUE, "F": bp.FALSE, "1": bp.Constant(True, "1"), "0": bp.Constant(False, "0")
}  # fmt: skip


def _origin(mark: re.Match[str]) -> bp.Origin:
    return bp.Origin(mark[1], int(mark[2]), int(mark[3]) if mark[3] else None, mark[4] or "")
