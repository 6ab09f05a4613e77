"""Reductions of functions: less of them, of their parameters and of their results. See `delta_debugging`."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from ebb.backend.bp_rewriting import change_actions, change_block, with_action
from ebb.backend.delta_debugging import Item, Take
from ebb.formats import bp


def functions(program: bp.Program, take: Take) -> bp.Program:
    """Without functions. Where one was called or started, nothing happens."""
    gone = {function.name for function in program.functions if take()}
    kept = tuple(function for function in program.functions if function.name not in gone)

    def change(action: bp.Action) -> bp.Action:
        match action:
            case bp.Call(_, name) | bp.StartThread(name) if name in gone:
                return bp.Skip()
            case _:
                return action

    return change_actions(replace(program, functions=kept), change)


def calls(program: bp.Program, take: Take) -> bp.Program:
    """Any results in place of calls: `x := f(a);` becomes `x := *;`."""

    def change(action: bp.Action) -> bp.Action:
        match action:
            case bp.Call(targets) if targets and take():
                return bp.Assign(targets, (bp.Nondet(),) * len(targets))
            case _:
                return action

    return change_actions(program, change)


def parameters(program: bp.Program, take: Take) -> bp.Program:
    """Variables in place of parameters: any values in place of arguments."""
    gone = {
        function.name: {number for number, _ in enumerate(function.parameters) if take()}
        for function in program.functions
    }

    def change(function: bp.Function) -> bp.Function:
        names = tuple(function.parameters[number] for number in sorted(gone[function.name]))
        more = (bp.Declaration(names),) if names else ()
        return replace(function, declarations=function.declarations + more)

    changed = tuple(map(change, program.functions))
    return without_parameters(replace(program, functions=changed), gone)


def without_parameters(program: bp.Program, gone: Mapping[str, Collection[int]]) -> bp.Program:
    """Without some parameters of each function, by number, and without the arguments for them."""

    def change(action: bp.Action) -> bp.Action:
        match action:
            case bp.Call(_, name, arguments) | bp.StartThread(name, arguments):
                return replace(action, arguments=_without(arguments, gone[name]))
            case _:
                return action

    functions = tuple(
        replace(function, parameters=_without(function.parameters, gone[function.name]))
        for function in program.functions
    )
    return change_actions(replace(program, functions=functions), change)


def results(program: bp.Program, take: Take) -> bp.Program:
    """Without results, after `return` and where the function is called."""
    gone = {function.name: {number for number in range(function.results) if take()} for function in program.functions}

    def change(function: bp.Function) -> bp.Function:
        def change_action(action: bp.Action) -> bp.Action:
            match action:
                case bp.Call(targets, name):
                    return replace(action, targets=_without(targets, gone[name]))
                case bp.Return(values):
                    return bp.Return(_without(values, gone[function.name]))
                case _:
                    return action

        body = change_block(function.body, lambda each: with_action(each, change_action(each.action)))
        return replace(function, results=function.results - len(gone[function.name]), body=body)

    return replace(program, functions=tuple(map(change, program.functions)))


def _without(items: tuple[Item, ...], numbers: Collection[int]) -> tuple[Item, ...]:
    return tuple(item for number, item in enumerate(items) if number not in numbers)
