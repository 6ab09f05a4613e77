"""From `.ebb` text to its syntax tree: the lark grammar in `ebb.lark` and what each of its rules builds."""

from functools import cache
from importlib import resources
from typing import Any

import lark
from lark import Token, v_args

from ebb.formats.errors import InputError, Position
from ebb.formats.expressions import KEYWORDS, At, Binary, Conditional, Element, Expression, Name, Place, Unary, minus
from ebb.formats.ir import Range
from ebb.formats.syntax_error import NEVER_CLOSED, unexpected
from ebb.frontend import ebb_tree as tree
from ebb.frontend.ebb_tree import position

LONGEST_INTEGER = 100  # digits
_EMPTY = Token("EMPTY", "{}")


def parse_tree(text: str) -> tree.FileTree:
    """The syntax tree of a text; an `InputError` with the place of the first thing that does not fit."""
    try:
        return _parser().parse(text)  # type: ignore[return-value]  # the transformer makes it a FileTree
    except lark.exceptions.UnexpectedToken as error:
        raise _unexpected(error.token, error.accepts or error.expected, text) from None
    except lark.exceptions.UnexpectedCharacters as error:
        message = f"unexpected character {error.char!r}"
        raise InputError(message, Position(error.line, error.column)) from None


@cache
def _parser() -> lark.Lark:
    grammar = resources.files("ebb.frontend").joinpath("ebb.lark").read_text(encoding="utf-8")
    return lark.Lark(grammar, parser="lalr", lexer="basic", maybe_placeholders=True, transformer=_Builder())


_SPELLING = {
    "COLON": ":", "COMMA": ",", "DOT": ".", "EQUAL": "=", "LBRACE": "{", "LPAR": "(", "LSQB": "[", "RBRACE": "}",
    "RIGHT_BRACE": "}", "RPAR": ")", "RSQB": "]", "SEMICOLON": ";", "AT": "@", "__ANON_0": "..", "STAR": "*",
    "TILDE": "~", "QMARK": "?",
}  # fmt: skip
_GROUPS = {
    "NAME": "a name",
    "INTEGER": "a number",
    **dict.fromkeys(("OR", "AND", "EQUALITY", "COMPARISON", "PLUS", "MINUS", "DIVISION", "NOT"), "an operator"),
}
_FEW = 4


def _unexpected(token: Token, accepted: set[str], text: str) -> InputError:
    """What stands there and what could have, in the user's words; a long list of possibilities helps nobody."""
    expected = {_SPELLING[name] for name in accepted if name in _SPELLING}
    names = {_GROUPS[name] for name in accepted if name in _GROUPS}
    words = {name.strip("_").lower() for name in accepted if name.strip("_").lower() in KEYWORDS}
    message, where = unexpected(token, text)
    if message == NEVER_CLOSED:
        return InputError(message, where)
    if token in ("local", "shared") and "}" in expected:
        message += f": declare {'locals' if token == 'local' else 'shared variables'} outside blocks"
    elif token == "=" and ")" in expected:
        message += "; `==` compares"
    elif token == "(" and "never" in words:
        message += "; a property is `assert never (…)`, or always, final, exists, ~exists, forall"
    elif token in KEYWORDS and "a name" in names:
        message += f": {token} is a keyword, and a name that is one stands in backquotes"
    elif ";" in expected and "an operator" in names:
        message += "; expected `;`"
    elif len(expected | names | words) <= _FEW:
        options = sorted(f"`{option}`" for option in expected | words) + sorted(names)
        message += f"; expected {' or '.join(options)}" if options else ""
    return InputError(message, where)


def _integer(token: Token) -> int:
    if len(token) > LONGEST_INTEGER:
        raise InputError(f"a number of more than {LONGEST_INTEGER} digits", position(token))
    return int(token)


def _all(token: object) -> bool:
    return isinstance(token, Token) and token.type == "STAR"


@v_args(inline=True)
class _Builder(lark.Transformer[Token, Any]):
    """One method a rule. Anonymous tokens are dropped by lark; named ones arrive as arguments."""

    def NAME(self, token: Token) -> Token:  # noqa: N802  # called for every token of that name
        return token if token[0] != "`" else Token.new_borrow_pos("NAME", token[1:-1], token)

    def start(self, *items: Any) -> tree.FileTree:
        file = tree.FileTree()
        for item in items:
            match item:
                case tree.ProcessTree():
                    file.processes.append(item)
                case tree.PropertyTree():
                    file.properties.append(item)
                case ("shared", declarators):
                    file.shared.extend(declarators)
                case ("predicates", expressions):
                    file.predicates.extend(expressions)
        return file

    # -- declarations

    def shared(self, _: Token, *declarators: tree.Declarator) -> tuple[str, tuple[tree.Declarator, ...]]:
        return ("shared", declarators)

    def locals(self, _: Token, *declarators: tree.Declarator) -> tuple[str, tuple[tree.Declarator, ...]]:
        return ("locals", declarators)

    def declarator(
        self, name: Token, size: Token | None, values: Range | None, initial: int | Token | None
    ) -> tree.Declarator:
        if initial == _EMPTY:
            return tree.Declarator(name, size, values, 0, is_set=True)
        start = None if isinstance(initial, Token) else initial or 0
        return tree.Declarator(name, size, values, start)

    def empty_set(self) -> Token:
        return _EMPTY

    def size(self, token: Token) -> Token:
        return token

    def range(self, low: int, high: int) -> Range:
        return Range(low, high)

    def signed(self, sign: Token | None, token: Token) -> int:
        return -_integer(token) if sign else _integer(token)

    def process(
        self, _: Token, name: Token, role: Token | None, __: Token | None, when: Token | None, *items: Any
    ) -> tree.ProcessTree:
        if role is not None and role != "background":
            raise InputError(f"unexpected `{role}`; expected `{{`", position(role))
        shared: list[tree.Declarator] = []
        local: list[tree.Declarator] = []
        elements: list[tree.Label | tree.Statement] = []
        for item in items:
            match item:
                case ("shared", declarators):
                    shared.extend(declarators)
                case ("locals", declarators):
                    local.extend(declarators)
                case _:
                    elements.append(item)
        return tree.ProcessTree(name, role is not None, when, tuple(shared), tuple(local), tuple(elements))

    def property(self, word: Token, kind: Any, condition: Expression) -> tree.PropertyTree:
        return tree.PropertyTree(position(word), kind, condition)

    def property_kind(self, *words: Token) -> str:
        return "".join(words)

    def predicates(self, word: Token, *expressions: Expression | None) -> tuple[str, list[tuple[Position, Expression]]]:
        found = [(tree.start(e) or position(word), e) for e in expressions if e is not None]
        return ("predicates", found)

    # -- statements

    def label(self, name: Token) -> tree.Label:
        return tree.Label(name)

    def block(self, *parts: Any) -> tree.Block:
        return tree.Block(parts[:-1], position(parts[-1]))

    def assignment(self, target: Place, value: Expression) -> tree.Assignment:
        return tree.Assignment(tree.place_start(target), target, value)

    def any_value(self, target: Place, _: Token) -> tree.Assignment:
        return tree.Assignment(tree.place_start(target), target, None)

    def store(self, word: Token, target: Place, value: Expression) -> tree.Assignment:
        return tree.Assignment(position(word), target, value, "store")

    def load(self, word: Token, target: Place, value: Expression) -> tree.Assignment:
        return tree.Assignment(position(word), target, value, "load")

    def collect(self, target: Place, value: Expression) -> tree.CollectStatement:
        return tree.CollectStatement(tree.place_start(target), target, value)

    def choose(self, target: Place, word: Token, set_: Token) -> tree.ChooseStatement:
        return tree.ChooseStatement(tree.place_start(target), target, word, set_)

    def call(self, word: Token, *arguments: Expression) -> tree.Call:
        return tree.Call(word, arguments)

    def locked(self, result: Place | None, word: Token, arguments: tuple[Place, tuple[Expression, ...]]) -> tree.Locked:
        location, rest = arguments
        needed = 2 if word == "cas" else 1
        if len(rest) != needed:
            usage = "cas(X, old, new)" if word == "cas" else f"{word}(X, value)"
            raise InputError(f"{word} is used as {usage}", position(word))
        return tree.Locked(position(word) if result is None else tree.place_start(result), word, result, location, rest)

    def arguments(self, location: Place, *rest: Expression) -> tuple[Place, tuple[Expression, ...]]:
        return location, rest

    def get(self, target: Place, _: Token, source: Place, process: Token) -> tree.RemoteGet:
        return tree.RemoteGet(tree.place_start(target), target, source, process)

    def put(self, word: Token, target: Place, process: Token, source: Place) -> tree.RemotePut:
        return tree.RemotePut(position(word), target, process, source)

    def flush(self, word: Token, process: Token) -> tree.RemoteFlush:
        return tree.RemoteFlush(position(word), process)

    def process_id(self, token: Token) -> Token:
        return token

    def skip(self, word: Token) -> tree.SkipStatement:
        return tree.SkipStatement(position(word))

    def goto(self, word: Token, *targets: Token) -> tree.Jump:
        return tree.Jump(position(word), targets)

    def if_(self, word: Token, condition: Any, then: tree.Statement, otherwise: tree.Statement | None) -> tree.If:
        return tree.If(position(word), None if _all(condition) else condition, then, otherwise)

    def while_(self, word: Token, condition: Any, body: tree.Statement) -> tree.While:
        return tree.While(position(word), None if _all(condition) else condition, body)

    def check(self, word: Token, condition: Expression) -> tree.Check:
        return tree.Check(position(word), str(word), condition)

    def region(self, word: Token, block: tree.Block) -> tree.Region:
        return tree.Region(position(word), str(word), block)

    def fence(self, word: Token, variable: Token | None) -> tree.FenceStatement:
        return tree.FenceStatement(position(word), variable)

    def hold(self, word: Token, place: Place) -> tree.Hold:
        return tree.Hold(position(word), str(word), place)

    def wait(self, word: Token, condition: Token, lock: Place | None) -> tree.Wait:
        return tree.Wait(position(word), condition, lock)

    def notify(self, word: Token, name: Token) -> tree.Notify:
        return tree.Notify(position(word), str(word), name)

    # -- expressions

    def place(self, name: Token, index: Expression | None = None) -> Place:
        return Name(name) if index is None else Element(name, index)

    def conditional(self, condition: Expression, then: Expression, otherwise: Expression) -> Expression:
        return Conditional(condition, then, otherwise)

    def binary(self, left: Expression, operator: Token, right: Expression) -> Expression:
        return Binary(str(operator), left, right)

    def unary(self, operator: Token, operand: Expression) -> Expression:
        if operator == "!":
            return Unary("!", operand)
        return tree.Number(-operand.value, operand.at) if isinstance(operand, tree.Number) else minus(operand)

    def integer(self, token: Token) -> Expression:
        return tree.Number(_integer(token), position(token))

    def read(self, place: Place) -> Expression:
        return place

    def dotted(self, process: Token, name: Token, index: Expression | None) -> Expression:
        full = Token.new_borrow_pos("NAME", f"{process}.{name}", process)
        return Name(full) if index is None else Element(full, index)

    def at(self, process: Token, label: Token) -> Expression:
        return At(process, label)
