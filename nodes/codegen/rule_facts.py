"""Facts read off the rules: which quantity depends on what, and when it is known."""

import ast
import builtins
from dataclasses import dataclass, field

from nodes.codegen.problems import Problems
from nodes.codegen.symbols import SymbolTable
from state.dynamics import CodeBody, Rule
from state.expressions import ExpressionError, is_random, names_in, parse
from state.spec import Spec

_TAKEN_BY_PYTHON = {*dir(builtins), "np", "gymnasium", "plain"}


@dataclass
class RuleFacts:
    """The rules of a specification after what can be mended without a question was mended."""

    spec: Spec
    symbols: SymbolTable
    problems: Problems
    rules: dict[str, Rule] = field(default_factory=dict)
    observation: list[str] = field(default_factory=list)
    seen_computed: dict[str, Rule] = field(default_factory=dict)
    """Computed quantities that are also worked out before each decision, because they are seen."""
    corrections: dict[str, Rule] = field(default_factory=dict)
    """Rules of decisions: what is done instead of a choice that is not possible."""

    @classmethod
    def of(cls, spec: Spec, symbols: SymbolTable, problems: Problems) -> "RuleFacts":
        """Check and normalise the rules of ``spec``."""
        facts = cls(spec, symbols, problems)
        facts._take_rules()
        facts._take_observation()
        facts._see_through_computed()
        facts._check_actions()
        facts._check_bodies()
        facts._check_references()
        facts._check_corrections()
        return facts

    # -- queries -------------------------------------------------------------------------------

    @property
    def quantities(self) -> list[str]:
        """Decisions and all variables that have a rule, in declared order."""
        return [
            v.name
            for v in self.spec.variables
            if v.name in self.rules or v.name in self.spec.sar.action
        ]

    def within_step(self) -> set[str]:
        """Quantities that have no value in a step before their rule has run."""
        kinds = ("computed", "revealed_after_decision")
        names = {name for name, rule in self.rules.items() if rule.kind in kinds}
        for body in self.bodies("step"):
            names |= {n for n in body.writes if n not in body.reads}
        return names

    def known_before(self) -> dict[str, Rule]:
        """Rules whose value is made anew at the end of a step, for the next decision."""
        known = {n: r for n, r in self.rules.items() if r.kind == "known_before_decision"}
        return {**known, **self.seen_computed}

    def bodies(self, when: str) -> list[CodeBody]:
        """Code bodies that run at ``when`` ('reset' or 'step')."""
        return [body for body in self.spec.dynamics.bodies if body.when == when]

    def previous_used(self) -> list[str]:
        """Variables whose value at the start of the step some expression asks for."""
        mentioned = {n for text in self._all_texts() for n in _names(text)}
        mentioned |= {n for body in self.spec.dynamics.bodies for n in body.reads}
        return [v.name for v in self.spec.variables if f"previous_{v.name}" in mentioned]

    def initial_text(self, rule: Rule) -> str | None:
        """Expression that gives the first value, None where there is no need of one."""
        if rule.initial.strip():
            written = {n for body in self.bodies("reset") for n in body.writes}
            return None if rule.variable in written else rule.initial
        if rule.kind in ("known_before_decision", "fixed") or rule.variable in self.seen_computed:
            return rule.expression
        return None

    # -- checks --------------------------------------------------------------------------------

    def _take_rules(self) -> None:
        for rule in self.spec.dynamics.rules:
            variable = self.spec.variable(rule.variable)
            place = f"rule of {rule.variable}"
            if variable is None:
                if self.spec.parameter(rule.variable) is None:
                    self.problems.add(
                        "environment", place, f"no variable is called {rule.variable}"
                    )
                continue
            if variable.role == "decision" or rule.variable in self.spec.sar.action:
                self._take_correction(rule)
                continue
            if rule.variable in self.rules:
                self.problems.add("environment", place, f"{rule.variable} has two rules")
                continue
            self.rules[rule.variable] = self._mended(rule)

    def _take_correction(self, rule: Rule) -> None:
        """A rule of a decision says what is done instead of a choice that is not possible."""
        place = f"rule of {rule.variable}"
        if rule.kind == "code" or not rule.expression.strip():
            self.problems.remark(place, "the action gives a decision its value; left out")
        elif _is_name(rule.expression, rule.variable):
            self.problems.remark(place, "it changes nothing; left out")
        else:
            self.corrections[rule.variable] = rule

    def _check_corrections(self) -> None:
        for name, rule in self.corrections.items():
            late = (set(_names(rule.expression)) & self.within_step()) - set(self.seen_computed)
            if late:
                self.problems.add(
                    "environment",
                    f"rule of {name}",
                    f"the decision {name} can be corrected only by what is known when deciding, "
                    f"not by {', '.join(sorted(late))}",
                )

    def _mended(self, rule: Rule) -> Rule:
        place = f"rule of {rule.variable}"
        if rule.kind == "code":
            if not any(rule.variable in body.writes for body in self.spec.dynamics.bodies):
                self.problems.add("environment", place, f"no code body writes {rule.variable}")
            return rule
        if rule.kind == "fixed":
            if not rule.initial.strip() and not rule.expression.strip():
                self.problems.add("environment", place, f"{rule.variable} has no initial value")
            return rule.model_copy(
                update={"initial": rule.initial or rule.expression, "expression": ""}
            )
        if not rule.expression.strip():
            self.problems.add(
                "environment", place, f"{rule.variable} is {rule.kind} but has no expression"
            )
        if rule.kind == "updated" and not rule.initial.strip():
            self.problems.add(
                "environment", place, f"{rule.variable} needs an initial value (initial)"
            )
        follows_itself = rule.variable in _bare(set(_names(rule.expression)))
        if rule.kind == "known_before_decision" and follows_itself and not rule.initial.strip():
            self.problems.add(
                "environment",
                place,
                f"{rule.variable} follows from its own last value and needs an initial one",
            )
        return rule

    def _take_observation(self) -> None:
        for name in self.spec.sar.observation:
            if self.spec.parameter(name) is not None:
                self.problems.remark("observation", f"{name} never changes and was left out")
            elif name in self.spec.sar.action:
                self.problems.remark("observation", f"{name} is decided, not seen; left out")
            elif name != "time_step" and self.spec.variable(name) is None:
                self.problems.add(
                    "sar", "observation", f"observation: no variable is called {name!r}; "
                    f"{self.symbols.nearest(name)}"
                )  # fmt: skip
            elif name != "time_step" and name not in self.rules:
                self.problems.add("environment", f"rule of {name}", f"{name} is seen by the agent "
                                  "but no rule gives it a value")  # fmt: skip
            elif name not in self.observation:
                self.observation.append(name)
                self._make_observable(name)
        if not self.observation:
            self.observation.append("time_step")
            self.problems.remark("observation", "nothing that changes is seen; the step number is")

    def _make_observable(self, name: str) -> None:
        """Give what is seen a value at every decision, also at the first one."""
        rule = self.rules.get(name)
        if rule is None:
            return
        drawn = rule.kind == "computed" and _random(rule.expression)
        if (rule.kind == "updated" or drawn) and not self._reached(rule, {name}, lasting=True):
            # Seen and untouched by any decision: what is decided on is what was seen, so the
            # new value comes after the step has been paid for.
            self.rules[name] = rule.model_copy(update={"kind": "known_before_decision"})
            self.problems.remark(f"rule of {name}", "its new value comes with the next decision")
        elif rule.kind == "computed" and not self._reached(rule, {name}, lasting=False):
            self.seen_computed[name] = rule
        elif rule.kind in ("computed", "revealed_after_decision") and not rule.initial.strip():
            variable = self.spec.variable(name)
            low = variable.low if variable is not None and variable.low is not None else 0
            self.rules[name] = rule.model_copy(update={"initial": str(low)})
            self.problems.remark(
                f"rule of {name}", f"what is seen of it is its last value, {low} at first"
            )

    def _see_through_computed(self) -> None:
        """What is known before a decision may rest on computed quantities that nobody sees."""
        waiting = list(self.known_before().values())
        while waiting:
            for name in _bare(set(_names(waiting.pop().expression))):
                rule = self.rules.get(name)
                if rule is None or rule.kind != "computed" or name in self.seen_computed:
                    continue
                if not self._reached(rule, {name}, lasting=False):
                    self.seen_computed[name] = rule
                    waiting.append(rule)

    def _reached(self, rule: Rule, seen: set[str], *, lasting: bool) -> bool:
        """True if a decision (or what is revealed only after it) reaches into ``rule``.

        With ``lasting`` also by way of remembered quantities, otherwise in the same step only.
        """
        for name in _bare(set(_names(rule.expression))) - seen:
            seen.add(name)
            if name in self.spec.sar.action:
                return True
            other = self.rules.get(name)
            if other is None:
                continue
            if other.kind in ("revealed_after_decision", "code"):
                return True
            follow = other.kind == "computed" or (lasting and other.kind == "updated")
            if follow and self._reached(other, seen, lasting=lasting):
                return True
        return False

    def _check_actions(self) -> None:
        for name in self.spec.sar.action:
            variable = self.spec.variable(name)
            if variable is None or variable.role != "decision":
                self.problems.add(
                    "sar", "action", f"action: {name} is not one of the decision variables"
                )
        for variable in self.spec.variables:
            if variable.role == "decision" and variable.name not in self.spec.sar.action:
                self.problems.add(
                    "sar", "action", f"the decision variable {variable.name} is not in the action"
                )

    def _check_bodies(self) -> None:
        names = [body.name for body in self.spec.dynamics.bodies]
        for body in self.spec.dynamics.bodies:
            place = f"code body {body.name}"
            if names.count(body.name) > 1 or body.name in _TAKEN_BY_PYTHON:
                self.problems.add("environment", place, f"{place} needs another name")
            for name in [*body.reads, *body.writes]:
                if name not in self.symbols:
                    self.problems.add(
                        "environment", place, f"{place}: no quantity is called {name}"
                    )
            for name in body.writes:
                rule = self.rules.get(name)
                if rule is None or (rule.kind != "code" and body.when == "step"):
                    self.problems.add(
                        "environment", place, f"{place} writes {name}, whose rule is not 'code'"
                    )

    def _check_references(self) -> None:
        """Every variable that is used has a value."""
        given = {*self.rules, *self.spec.sar.action}
        for text in self._all_texts():
            for name in _bare(set(_names(text))):
                variable = self.spec.variable(name)
                if variable is not None and name not in given:
                    self.problems.add(
                        "environment", f"rule of {name}", f"{name} is used but no rule gives it a "
                        "value"
                    )  # fmt: skip

    def _all_texts(self) -> list[str]:
        spec = self.spec
        texts = [text for rule in self.rules.values() for text in (rule.initial, rule.expression)]
        texts += [rule.expression for rule in self.corrections.values()]
        texts += [term.expression for term in spec.sar.reward]
        texts += [constraint.expression for constraint in spec.model.constraints]
        return [*texts, spec.model.step_measure, spec.dynamics.termination]


def _names(text: str) -> list[str]:
    if not text.strip():
        return []
    try:
        return names_in(parse(text))
    except ExpressionError:
        # Reported where the expression is compiled.
        return []


def _is_name(text: str, name: str) -> bool:
    """True if ``text`` is ``name`` and nothing else."""
    try:
        tree = parse(text)
    except ExpressionError:
        return False
    return isinstance(tree, ast.Name) and tree.id == name


def _random(text: str) -> bool:
    if not text.strip():
        return False
    try:
        return is_random(parse(text))
    except ExpressionError:
        return False


def _bare(names: set[str]) -> set[str]:
    return {name.removeprefix("previous_") for name in names}
