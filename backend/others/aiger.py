"""A program as a circuit in AIGER's binary format: latches for bits and locations, inputs for what is free to choose.

In every cycle some inputs number an edge, and it happens if it can; otherwise nothing happens. Other inputs are the
choices of that edge. In the first cycle nothing has begun: the latches take their first values from inputs, if the
constraints admit them. The output is true when an edge to the outcome in question can happen.
"""

from collections.abc import Iterable, Sequence

from ebb.backend.automata.automaton import ENDED, IDLE, Automata, Edge, Outcome
from ebb.backend.automata.steps import initial_control
from ebb.backend.others.moves import Move, after, checks, moves
from ebb.backend.others.names import bit_names, identifiers
from ebb.formats import bp
from ebb.formats.bp import Expression

FALSE, TRUE = 0, 1

Literal = int  # twice the number of a node, plus one for its negation


class Circuit:
    """And-inverter graphs, every conjunction once."""

    def __init__(self) -> None:
        self.inputs: list[str] = []
        self.latches: list[str] = []
        self._ands: dict[tuple[Literal, Literal], Literal] = {}
        self._next = 1

    def input(self, name: str) -> Literal:
        assert self._next == 1 + len(self.inputs), "the format has inputs before latches before gates"
        self.inputs.append(name)
        return self._fresh()

    def latch(self, name: str) -> Literal:
        assert not self._ands, "the format has latches before gates"
        self.latches.append(name)
        return self._fresh()

    def _fresh(self) -> Literal:
        self._next += 1
        return 2 * (self._next - 1)

    def both(self, left: Literal, right: Literal) -> Literal:
        left, right = max(left, right), min(left, right)
        if right == FALSE or left == right ^ 1:
            return FALSE
        if right == TRUE or left == right:
            return left
        if (left, right) not in self._ands:
            self._ands[left, right] = self._fresh()
        return self._ands[left, right]

    def all(self, literals: Iterable[Literal]) -> Literal:
        """Joined in a balanced way: circuits should not be deep."""
        level = list(literals)
        while len(level) > 1:
            pairs = [self.both(a, b) for a, b in zip(level[::2], level[1::2], strict=False)]
            level = pairs + level[len(level) & ~1 :]
        return level[0] if level else TRUE

    def any(self, literals: Iterable[Literal]) -> Literal:
        return self.all([literal ^ 1 for literal in literals]) ^ 1

    def choose(self, condition: Literal, then: Literal, otherwise: Literal) -> Literal:
        return self.any((self.both(condition, then), self.both(condition ^ 1, otherwise)))

    def differ(self, left: Literal, right: Literal) -> Literal:
        return self.choose(left, right ^ 1, right)

    def binary(self, next_values: Sequence[Literal], output: Literal) -> bytes:
        """The file; latches begin with 0."""
        head = [self._next - 1, len(self.inputs), len(self.latches), 1, len(self._ands)]
        lines = [f"aig {' '.join(map(str, head))}", *map(str, next_values), str(output)]
        gates = bytearray()
        for (left, right), literal in self._ands.items():
            gates += _packed(literal - left) + _packed(left - right)
        names = [f"i{number} {name}" for number, name in enumerate(self.inputs)]
        names += [f"l{number} {name}" for number, name in enumerate(self.latches)]
        return "\n".join([*lines, ""]).encode() + bytes(gates) + "\n".join([*names, "o0 reached", ""]).encode()


def _packed(number: int) -> bytes:
    """Seven bits at a time, the lowest first."""
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def export(automata: Automata, goal: Outcome) -> bytes:
    return Model(automata, goal).binary()


class Model:
    def __init__(self, automata: Automata, goal: Outcome) -> None:
        self._automata = automata
        self._moves = moves(automata, goal)
        self._circuit = circuit = Circuit()
        names = bit_names(automata)
        steps = [move for move in self._moves if move.edge.outcome is Outcome.LOCATION]
        self._edge = [circuit.input(f"edge_{place}") for place in range(max(1, len(steps).bit_length()))]
        most = max((len(move.chosen) for move in steps), default=0)
        self._choices = [circuit.input(f"choice_{place}") for place in range(most)]
        self._first = {bit.name: circuit.input(f"first_{names[bit.name]}") for bit in automata.bits}
        self._begun = circuit.latch("begun")
        self._bits = {bit.name: circuit.latch(names[bit.name]) for bit in automata.bits}
        at = identifiers((thread.name for thread in automata.threads), "at_")
        self._at = [
            [circuit.latch(f"{at[t.name]}_{place}") for place in range(max(1, (t.locations - 1).bit_length()))]
            for t in automata.threads
        ]
        self._steps = steps
        self.numbers = tuple(move.number for move in steps)  # the edge that each value of the first inputs stands for
        self.bit_names = {name: bit for bit, name in names.items()}
        self.location_names = tuple(at[thread.name] for thread in automata.threads)

    def binary(self) -> bytes:
        circuit = self._circuit
        fires = [self._fires(number, move) for number, move in enumerate(self._steps)]
        values = [self._new_values(move) for move in self._steps]
        start, control = self._admitted(), initial_control(self._automata)
        following = [circuit.any((self._begun, start))]
        for name, bit in self._bits.items():
            changes = [(fire, new[name]) for fire, new in zip(fires, values, strict=True) if name in new]
            following.append(circuit.choose(self._begun, self._changed(bit, changes), self._first[name]))
        for thread, bits in enumerate(self._at):
            for place, bit in enumerate(bits):
                changes = [
                    (fire, TRUE if there >> place & 1 else FALSE)
                    for fire, move in zip(fires, self._steps, strict=True)
                    if (there := self._after(move.edge, thread)) is not None
                ]
                first = TRUE if control[thread] >> place & 1 else FALSE
                following.append(circuit.choose(self._begun, self._changed(bit, changes), first))
        goals = [
            circuit.all((self._begun, self._control(move.edge), self._literal(move.guard, {})))
            for move in self._moves
            if move.edge.outcome is not Outcome.LOCATION
        ]
        return circuit.binary(following, circuit.any(goals))

    def _changed(self, bit: Literal, changes: list[tuple[Literal, Literal]]) -> Literal:
        """At most one of the edges happens."""
        circuit = self._circuit
        new = circuit.any([circuit.both(fire, value) for fire, value in changes])
        stays = circuit.both(circuit.any([fire for fire, _ in changes]) ^ 1, bit)
        return circuit.any((new, stays))

    def _fires(self, number: int, move: Move) -> Literal:
        circuit = self._circuit
        chosen = _equals(circuit, self._edge, number)
        new = self._new_values(move)
        wanted = [chosen, self._control(move.edge), self._literal(move.guard, {}), self._literal(move.constrain, new)]
        for constraint in checks(self._automata, move):
            holds = self._literal(after(constraint.condition), new)
            if constraint.thread is not None:
                holds = circuit.any((holds, self._is_at(constraint.thread, constraint.locations) ^ 1))
            wanted.append(holds)
        return circuit.all(wanted)

    def _new_values(self, move: Move) -> dict[str, Literal]:
        circuit, new, choices = self._circuit, {}, iter(self._choices)
        for update in move.updates:
            can_hold = self._literal(update.true, {})
            if update.fixed:
                new[update.bit] = can_hold
            else:
                must = self._literal(update.false, {}) ^ 1
                new[update.bit] = circuit.both(can_hold, circuit.any((must, next(choices))))
        return new

    def _admitted(self) -> Literal:
        control = initial_control(self._automata)
        return self._circuit.all(
            self._literal(constraint.condition, {}, self._first)
            for constraint in self._automata.constraints
            if constraint.thread is None or control[constraint.thread] in constraint.locations
        )

    def _control(self, edge: Edge) -> Literal:
        """Its thread is there, and other threads let it move."""
        wanted = [self._is_at(edge.thread, [edge.source])]
        for number, thread in enumerate(self._automata.threads):
            if number != edge.thread and thread.atomic:
                wanted.append(self._is_at(number, thread.atomic) ^ 1)
        if edge.starts is not None:
            wanted.append(self._is_at(edge.starts, (IDLE, ENDED)))
        wanted += [self._is_at(other, (IDLE, ENDED)) ^ 1 for other in edge.busy]
        return self._circuit.all(wanted)

    def _after(self, edge: Edge, thread: int) -> int | None:
        if thread == edge.thread:
            return edge.target
        return self._automata.threads[thread].entry if thread == edge.starts else None

    def _is_at(self, thread: int, places: Iterable[int]) -> Literal:
        return self._circuit.any([_equals(self._circuit, self._at[thread], place) for place in sorted(places)])

    def _literal(
        self, expression: Expression, new: dict[str, Literal], bits: dict[str, Literal] | None = None
    ) -> Literal:
        circuit = self._circuit
        now = self._bits if bits is None else bits
        match expression:
            case bp.Constant(value):
                return TRUE if value else FALSE
            case bp.Variable(name):
                return now[name]
            case bp.Next(name):
                return new.get(name, now[name])
            case bp.Not(operand):
                return self._literal(operand, new, bits) ^ 1
            case bp.Conditional(condition, then, otherwise):
                parts = [self._literal(part, new, bits) for part in (condition, then, otherwise)]
                return circuit.choose(*parts)
            case bp.Operation(operator, operands):
                return self._joined(operator, [self._literal(operand, new, bits) for operand in operands])
            case bp.Nondet() | bp.Schoose():
                raise ValueError(f"{expression} is not without choices")

    def _joined(self, operator: bp.Operator, literals: list[Literal]) -> Literal:
        circuit = self._circuit
        match operator:
            case "&":
                return circuit.all(literals)
            case "|":
                return circuit.any(literals)
            case "=>":
                return circuit.any((literals[0] ^ 1, literals[1]))
            case "=" | "!=" | "^":
                odd = FALSE
                for literal in literals:
                    odd = circuit.differ(odd, literal)
                return odd ^ 1 if operator == "=" else odd


def _equals(circuit: Circuit, bits: Sequence[Literal], value: int) -> Literal:
    return circuit.all([bit if value >> place & 1 else bit ^ 1 for place, bit in enumerate(bits)])
