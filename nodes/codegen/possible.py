"""Render which decisions are possible as ``possible_actions.py``, from what is seen alone."""

from nodes.codegen.batch.rewrite import Unbatchable
from nodes.codegen.batched import BatchedRendering, helpers_of, imports_of
from nodes.codegen.program import Program, Statement
from nodes.codegen.render import one_line, templates
from nodes.consequences import names_read
from state.expressions import is_random, parse


def render_possible(program: Program) -> tuple[str | None, str]:
    """Source of ``possible_actions.py``; or None, and why there can be none.

    The rules of decisions say what is done instead of a choice that is not possible. A choice is
    possible where they leave it as it is.
    """
    corrections = [s for s in program.step if set(s.targets) <= _decisions(program)]
    if not corrections:
        return None, "no decision has a rule that says when it is not possible"
    try:
        _check(program)
        return _render(program, corrections), ""
    except Unbatchable as reason:
        return None, str(reason)


def _decisions(program: Program) -> set[str]:
    return {decision.variable.name for decision in program.decisions}


def _check(program: Program) -> None:
    """Raise ``Unbatchable`` where what is possible cannot be told from what is seen."""
    known = {*_decisions(program), *program.observation, *(p.name for p in program.spec.parameters)}
    for rule in program.spec.dynamics.rules:
        if rule.variable not in _decisions(program):
            continue
        if is_random(parse(rule.expression)):
            raise Unbatchable(f"what is possible depends on chance (rule of {rule.variable})")
        unseen = sorted(names_read(rule.expression) - known)
        if unseen:
            raise Unbatchable(f"what is possible depends on {unseen[0]}, which is not seen")


def _render(program: Program, corrections: list[Statement]) -> str:
    rendering = BatchedRendering(program)
    fields = {
        "parameters": [rendering.parameter(p) for p in program.spec.parameters],
        "seen": [rendering.seen_again(name) for name in program.observation],
        "actions": rendering.actions(),
        "decode": [rendering.decode(d) for d in program.decisions],
        "lines": [rendering.line(s) for s in corrections],
        "decided": [rendering.flat(d.variable.name) for d in program.decisions],
    }
    helpers = helpers_of(str(fields))
    imports = [line for line in imports_of(helpers) if "gymnasium" not in line]
    return templates().get_template("possible_actions.py.j2").render(
        **fields, helpers=helpers, imports=imports, title=one_line(program.spec.title)
    )  # fmt: skip
