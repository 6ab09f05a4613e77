"""Makes a Boolean program as small as it can be while it keeps a property, whatever that is.

    decl a, b, c;
    void main() begin                           decl a;
      b, c := *, F;                             void main() begin
      if (b) then a := b; else a := c; fi;  →     assert(a);
      assert(a | (b & c));                      end
    end

where the property is that the program is unsafe and has an assertion about `a`. Nothing is renamed, and nothing is
moved but labels: when a statement goes, its labels stay, before the statement that follows.
"""

from collections.abc import Mapping

from ebb.backend import shrink_comments, shrink_expressions, shrink_functions, shrink_statements, shrink_variables
from ebb.backend.delta_debugging import Property, Reduction, smaller_programs
from ebb.formats import bp

# In the order in which they are tried: what takes away most comes first.
REDUCTIONS: Mapping[str, Reduction] = {
    "functions": shrink_functions.functions,
    "statements": shrink_statements.statements,
    "calls": shrink_functions.calls,
    "inner blocks": shrink_statements.inner_blocks,
    "branches": shrink_statements.branches,
    "atomic in functions": shrink_statements.atomic_in_functions,
    "atomic blocks": shrink_statements.atomic_blocks,
    "unused variables": shrink_variables.unused_variables,
    "variables by T": shrink_variables.variables_by(bp.TRUE),
    "variables by F": shrink_variables.variables_by(bp.FALSE),
    "variables by *": shrink_variables.variables_by(bp.Nondet()),
    "parameters": shrink_functions.parameters,
    "results": shrink_functions.results,
    "enforce": shrink_expressions.enforce,
    "constrain": shrink_expressions.constrain,
    "targets": shrink_variables.targets,
    "call targets": shrink_variables.call_targets,
    "return values": shrink_expressions.return_values,
    "jumps": shrink_statements.jumps,
    "operands": shrink_expressions.operands,
    "one operand": shrink_expressions.one_operand,
    "expressions by T": shrink_expressions.expressions_by(bp.TRUE),
    "expressions by F": shrink_expressions.expressions_by(bp.FALSE),
    "expressions by *": shrink_expressions.expressions_by_choice,
    "actions": shrink_statements.actions,
    "labels": shrink_statements.labels,
    "comments": shrink_comments.comments,
    "marks": shrink_comments.marks,
    "roles": shrink_comments.roles,
}


def shrink(program: bp.Program, interesting: Property) -> bp.Program:
    """A minimal program that is interesting, as the given one has to be: no single reduction of it is."""
    for smaller in smaller_programs(program, interesting, REDUCTIONS.values()):
        program = smaller
    return program
