"""The front end for `.ebb`: text in, IR out."""

from pathlib import PurePath

from ebb.formats.errors import InputError, Position
from ebb.formats.ir import Predicate, Process, Program, Property
from ebb.frontend.annotations import Annotations, read_annotations
from ebb.frontend.ebb_grammar import parse_tree
from ebb.frontend.ebb_tree import FileTree, position
from ebb.frontend.lower import ProcessLowering
from ebb.frontend.scope import PropertyNames, Scope, build_scope
from ebb.frontend.synchronisation import Synchronisation


def parse(text: str, source: str) -> Program:
    """The program in a text; `source` is the name of its file, without directory."""
    file = parse_tree(text)
    annotations = read_annotations(text)
    if not file.processes:
        raise InputError("a program has at least one process", Position(1, 1))
    if annotations.reduced is None:
        _refuse_reduced_forms(file)
    scope = build_scope(file, annotations)
    processes, labels = _processes(file, scope, annotations)
    owners = [None, *scope.processes]
    return Program(
        name=annotations.name or PurePath(source).stem,
        source=annotations.source or source,
        shared=tuple(sorted(scope.shared.values(), key=lambda variable: owners.index(variable.owner))),
        processes=processes,
        properties=_properties(file, scope, labels, annotations),
        predicates=_predicates(file, scope, annotations),
        model=annotations.model,
        reduced=annotations.reduced,
    )


def _refuse_reduced_forms(file: FileTree) -> None:
    """Sets and background processes mean something only in a text that contains its memory model."""
    for process in file.processes:
        if process.background:
            raise InputError("only a reduced program has background processes", position(process.name))
    for declarator in (*file.shared, *(d for process in file.processes for d in (*process.shared, *process.locals))):
        if declarator.is_set:
            raise InputError("only a reduced program has sets", position(declarator.name))


def _processes(
    file: FileTree, scope: Scope, annotations: Annotations
) -> tuple[tuple[Process, ...], dict[str, set[str]]]:
    synchronisation = Synchronisation(scope)
    synchronisation.survey(file)
    processes = []
    labels: dict[str, set[str]] = {}
    for tree in file.processes:
        name = str(tree.name)
        lowering = ProcessLowering(scope, name, annotations, synchronisation=synchronisation)
        body = lowering.instructions(tree)
        labels[name] = lowering.visible_labels()
        starter = scope.shared.get(tree.when) if tree.when is not None else None
        if tree.when is not None and (starter is None or starter.size is not None or starter.type == "set"):
            raise InputError(f"`{tree.when}` is not a shared variable that holds a number", position(tree.when))
        when = synchronisation.started.get(name) or (str(tree.when) if tree.when else None)
        at = annotations.position(position(tree.name))
        locals_ = tuple(scope.locals[name].values())
        processes.append(Process(name, at, locals_, body, when, tree.background))
    return tuple(processes), labels


def _properties(
    file: FileTree, scope: Scope, labels: dict[str, set[str]], annotations: Annotations
) -> tuple[Property, ...]:
    names = PropertyNames(scope, labels)
    return tuple(
        Property(tree.kind, names.expression(tree.condition), annotations.position(tree.at)) for tree in file.properties
    )


def _predicates(file: FileTree, scope: Scope, annotations: Annotations) -> tuple[Predicate, ...]:
    names = PropertyNames(scope, labels=None)
    return tuple(
        Predicate(names.expression(expression), annotations.position(at)) for at, expression in file.predicates
    )
