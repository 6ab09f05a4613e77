"""Reductions of statements: less of them, and simpler ones. See `delta_debugging`."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from ebb.backend.bp_rewriting import (
    Block,
    change_actions,
    change_block,
    change_bodies,
    change_inner_blocks,
    change_statements,
    with_action,
)
from ebb.backend.delta_debugging import Take, all_but_taken
from ebb.formats import bp
from ebb.formats.bp_check import statements as all_statements


def statements(program: bp.Program, take: Take) -> bp.Program:
    """Without statements."""

    def instead(block: Block) -> Iterator[Block | None]:
        for _ in block:
            yield () if take() else None

    return change_bodies(program, lambda body: _spliced(body, instead))


def inner_blocks(program: bp.Program, take: Take) -> bp.Program:
    """The body of a `while` in place of it; one of the branches of an `if` in place of it."""

    def instead(block: Block) -> Iterator[Block | None]:
        for statement in block:
            yield next((inner for inner in _inside(statement) if take()), None)

    return change_bodies(program, lambda body: _spliced(body, instead))


def _inside(statement: bp.Statement) -> Iterator[Block]:
    match statement.action:
        case bp.While(_, body):
            yield body
        case bp.If(branches, otherwise):
            yield from (body for _, body in branches)
            if otherwise is not None:
                yield otherwise


def _spliced(block: Block, instead: Callable[[Block], Iterable[Block | None]]) -> Block:
    """Other statements, or none, in place of some; the labels of those go to what follows them in the block."""
    result: list[bp.Statement] = []
    labels: tuple[str, ...] = ()
    for statement, others in zip(block, instead(block), strict=True):
        if others is None:
            others = (change_inner_blocks(statement, lambda inner: _spliced(inner, instead)),)
        else:
            labels += statement.labels
        for other in others:
            result.append(replace(other, labels=labels + other.labels, labels_at=()) if labels else other)
            labels = ()
    return tuple(result)


def branches(program: bp.Program, take: Take) -> bp.Program:
    """Without branches of an `if`, as long as one with a condition is left."""

    def change(action: bp.Action) -> bp.Action:
        match action:
            case bp.If(branches, otherwise, below):
                conditions = tuple(range(len(branches)))
                kept = set(all_but_taken(conditions, take))
                if otherwise is not None and not take():
                    kept.add(len(branches))
                remarks = tuple(lines for number, lines in enumerate(below) if number in kept)
                return bp.If(
                    tuple(branches[number] for number in conditions if number in kept),
                    otherwise if len(branches) in kept else None,
                    remarks if any(remarks) else (),
                )
            case _:
                return action

    return change_actions(program, change)


def atomic_in_functions(program: bp.Program, take: Take) -> bp.Program:
    """Without any `atomic_begin` and `atomic_end` in a function."""

    def instead(block: Block) -> Iterator[Block | None]:
        for statement in block:
            yield () if _is_atomic(statement) else None

    def change(body: Block) -> Block:
        return _spliced(body, instead) if any(map(_is_atomic, all_statements(body))) and take() else body

    return change_bodies(program, change)


def _is_atomic(statement: bp.Statement) -> bool:
    return isinstance(statement.action, bp.AtomicBegin | bp.AtomicEnd)


def atomic_blocks(program: bp.Program, take: Take) -> bp.Program:
    """Without an `atomic_begin` and the `atomic_end` that belongs to it, if both stand in the same block."""

    def instead(block: Block) -> Iterator[Block | None]:
        gone = {number for pair in sorted(_atomic_pairs(block)) if take() for number in pair}
        for number, _ in enumerate(block):
            yield () if number in gone else None

    return change_bodies(program, lambda body: _spliced(body, instead))


def _atomic_pairs(block: Block) -> Iterator[tuple[int, int]]:
    open_: list[int] = []
    for number, statement in enumerate(block):
        match statement.action:
            case bp.AtomicBegin():
                open_.append(number)
            case bp.AtomicEnd() if open_:
                yield open_.pop(), number


def jumps(program: bp.Program, take: Take) -> bp.Program:
    """`goto` with fewer labels to choose from."""

    def change(action: bp.Action) -> bp.Action:
        match action:
            case bp.Goto(targets):
                return bp.Goto(all_but_taken(targets, take))
            case _:
                return action

    return change_actions(program, change)


def actions(program: bp.Program, take: Take) -> bp.Program:
    """`skip` in place of other statements, where those cannot go: at a label, say."""

    def change(statement: bp.Statement) -> bp.Statement:
        if isinstance(statement.action, bp.Skip) or not take():
            return statement
        return with_action(statement, bp.Skip())

    return change_statements(program, change)


def labels(program: bp.Program, take: Take) -> bp.Program:
    """Without labels to which nobody jumps."""

    def change(body: Block) -> Block:
        wanted = set(_jumps(body))

        def change_one(statement: bp.Statement) -> bp.Statement:
            kept = tuple(label for label in statement.labels if label in wanted or not take())
            return replace(statement, labels=kept, labels_at=())

        return change_block(body, change_one)

    return change_bodies(program, change)


def _jumps(body: Block) -> Iterator[str]:
    for statement in all_statements(body):
        match statement.action:
            case bp.Goto(targets):
                yield from targets
            case bp.StartThreadAt(label):
                yield label
