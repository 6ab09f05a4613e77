"""Boolean programs as text: one item a line, expressions fully parenthesised, comments where they were."""

from typing import assert_never

from ebb.formats import bp
from ebb.formats.bp import Expression

_COMMENT_COLUMN = 31  # where comments to the right begin, if the line is not longer
_INDENT = "  "


def show_program(program: bp.Program) -> str:
    lines: list[str] = []
    for declaration in program.declarations:
        lines += _declaration(declaration, "")
    for function in program.functions:
        lines += _function(function)
    lines += program.below
    return "".join(f"{line}\n" for line in lines)


def _remarks(indent: str, lines: tuple[str, ...]) -> list[str]:
    return [f"{indent}{line}" if line else "" for line in lines]


def _item(indent: str, text: str, comments: bp.Comments, *marks: str) -> list[str]:
    beside = " ".join(filter(None, [comments.beside, *(f"//@ {mark}" for mark in marks if mark)]))
    line = f"{indent}{text}"
    return [*_remarks(indent, comments.above), f"{line.ljust(_COMMENT_COLUMN - 2)}  {beside}" if beside else line]


def _declaration(declaration: bp.Declaration, indent: str) -> list[str]:
    predicates = f"predicate {' | '.join(declaration.predicates)}" if declaration.predicates else ""
    return _item(indent, f"decl {', '.join(declaration.names)};", declaration.comments, predicates)


def _function(function: bp.Function) -> list[str]:
    result = {0: "void", 1: "bool"}.get(function.results, f"bool<{function.results}>")
    heading = f"{result} {function.name}({', '.join(function.parameters)}) begin"
    process = f"process {function.process}" if function.process else ""
    lines = _item("", heading, function.comments, process)
    for declaration in function.declarations:
        lines += _declaration(declaration, _INDENT)
    for enforce in function.enforce:
        lines += _item(_INDENT, f"enforce {_bracketed(enforce.condition)};", enforce.comments)
    lines += _statements(function.body, _INDENT)
    return [*lines, *_remarks(_INDENT, function.below), *_item("", "end", bp.Comments((), function.beside_end))]


def _statements(statements: tuple[bp.Statement, ...], indent: str) -> list[str]:
    return [line for statement in statements for line in _statement(statement, indent)]


def _statement(statement: bp.Statement, indent: str) -> list[str]:
    labels = "".join(f"{label}: " for label in statement.labels)
    marks = (
        _origin(statement.origin) if statement.origin else "",
        f"checks {statement.checks}" if statement.checks else "",
        "overflow" if statement.overflow else "",
    )
    lines = _item(indent, labels + show_action(statement.action), statement.comments, *marks)
    deeper = indent + _INDENT
    match statement.action:
        case bp.If(branches, otherwise, below):
            keywords = [f"elsif {_bracketed(condition)} then" for condition, _ in branches[1:]]
            bodies = [body for _, body in branches]
            if otherwise is not None:
                keywords.append("else")
                bodies.append(otherwise)
            remarks = below or ((),) * len(bodies)
            for keyword, body, remark in zip([*keywords, "fi;"], bodies, remarks, strict=True):
                lines += [*_statements(body, deeper), *_remarks(deeper, remark), f"{indent}{keyword}"]
        case bp.While(_, body, remark):
            lines += [*_statements(body, deeper), *_remarks(deeper, remark), f"{indent}od;"]
    return lines


def _origin(origin: bp.Origin) -> str:
    column = "" if origin.column is None else f":{origin.column}"
    return f"at {origin.file}:{origin.line}{column} {origin.note}".rstrip()


def show_action(action: bp.Action) -> str:
    """The statement on one line; of `if` and `while` only the heading."""
    match action:
        case bp.Skip():
            return "skip;"
        case bp.Goto(targets):
            return f"goto {', '.join(targets)};"
        case bp.Assume(condition):
            return f"assume{_bracketed(condition)};"
        case bp.Assert(condition):
            return f"assert{_bracketed(condition)};"
        case bp.Assign(targets, values, constrain):
            tail = "" if constrain is None else f" constrain {show(constrain)}"
            return f"{', '.join(targets)} := {', '.join(map(show, values))}{tail};"
        case bp.Call(targets, function, arguments):
            head = f"{', '.join(targets)} := " if targets else ""
            return f"{head}{function}({', '.join(map(show, arguments))});"
        case bp.Return(values):
            return f"return {', '.join(map(show, values))};" if values else "return;"
        case bp.If(branches):
            return f"if {_bracketed(branches[0][0])} then"
        case bp.While(condition):
            return f"while {_bracketed(condition)} do"
        case bp.StartThread(function, arguments):
            return f"start_thread {function}({', '.join(map(show, arguments))});"
        case bp.StartThreadAt(label):
            return f"start_thread goto {label};"
        case bp.EndThread():
            return "end_thread;"
        case bp.AtomicBegin():
            return "atomic_begin;"
        case bp.AtomicEnd():
            return "atomic_end;"
        case bp.Dead(names):
            return f"dead {', '.join(names)};" if names else "dead;"
    assert_never(action)


def _bracketed(expression: Expression) -> str:
    text = show(expression)
    return text if isinstance(expression, bp.Operation | bp.Conditional) else f"({text})"


def show(expression: Expression) -> str:
    match expression:
        case bp.Constant(_, spelling):
            return spelling
        case bp.Variable(name):
            return name
        case bp.Next(name):
            return f"'{name}"
        case bp.Nondet():
            return "*"
        case bp.Schoose(true_if, false_if):
            return f"schoose[{show(true_if)}, {show(false_if)}]"
        case bp.Not(operand):
            return f"!{show(operand)}"
        case bp.Operation(operator, operands):
            return f"({f' {operator} '.join(map(show, operands))})"
        case bp.Conditional(condition, then, otherwise):
            return f"({show(condition)} ? {show(then)} : {show(otherwise)})"
    assert_never(expression)
