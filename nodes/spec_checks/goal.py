"""The goal: reward and objective's measure pull the same way, and doing nothing is not the best."""

import re
from collections.abc import Iterator

import numpy as np

from nodes.codegen.program import Program
from nodes.spec_checks.facts import PREVIOUS, Facts, names
from nodes.spec_checks.interpreter import Interpreter, NotReadableError
from nodes.spec_checks.play import Play
from nodes.spec_checks.saying import finding
from nodes.spec_checks.spans import Numbers, Span
from state.findings import Finding
from state.objective import Objective

STEPS, EPISODES = 12, 3
_LEADING = re.compile(
    r"^(?:(?:the|our) (?:goal|objective|aim) is to |we want to |to )?(minimi[sz]e|maximi[sz]e)\b",
    re.IGNORECASE,
)
_SHOULD_BE = re.compile(
    r"\bshould be as (?:(?P<less>small|low|few|little|short)|large|high|much|many|long|great|big) "
    r"as possible",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?:all|every|each)\b[^.;]{0,60}\b(?:deliver\w*|serv\w*|complet\w*|reach\w*|finish\w*|"
    r"collect\w*|done)|\b(?:deliver|serve|complete|finish|reach|collect|fulfil)\w*\s+(?:all|every|each)\b|"
    r"\bfirst of all\b",
    re.IGNORECASE,
)


def sense_is_that_of_the_words(facts: Facts) -> Iterator[Finding]:
    """What is to be as small as possible is minimised, what as large, maximised."""
    objective = facts.spec.objective
    said, words = sense_in_words(objective)
    if said not in ("", objective.sense) and not _counts_losses(facts):
        yield finding(
            "sense_is_that_of_the_words", "objective", "objective",
            f"the objective is to {objective.sense}, and its words say “{words}”",
            expected=said, found=objective.sense,
        )  # fmt: skip


def sense_in_words(objective: Objective) -> tuple[str, str]:
    """``minimize`` or ``maximize`` as the objective's words say it, and those words; or empty."""
    leading, should_be = _LEADING.search(objective.statement), _SHOULD_BE.search(objective.quote)
    if should_be is not None:
        return "minimize" if should_be.group("less") else "maximize", should_be.group(0)
    if leading is not None:
        words = leading.group(1)
        return "minimize" if words.lower().startswith("min") else "maximize", words
    return "", ""


def _counts_losses(facts: Facts) -> bool:
    """A cost may as well be maximised with a minus before it."""
    source = facts.source(facts.spec.model.step_measure) if facts.spec.model.step_measure else None
    if source is None or facts.spec.objective.sense != "maximize":
        return False
    try:
        return Interpreter(facts.declared_values).value(source).most <= 0
    except NotReadableError:
        return False


def reward_follows_the_objective(facts: Facts) -> Iterator[Finding]:
    """Where the objective's measure rises, so does the reward; where it is a cost, it falls."""
    sense = facts.spec.objective.sense
    pairs = _played(facts) if facts.program is not None else _constants(facts)
    if len(pairs) == 0 or not np.all(np.isfinite(pairs)):
        return
    measure, reward = pairs[:, 0], pairs[:, 1]
    sign = 1.0 if sense == "maximize" else -1.0
    if _constant(measure) or _constant(reward):
        # Both the same in every step: then how long an episode lasts is what counts.
        opposed = bool(np.all(sign * measure * reward < 0)) and bool(np.ptp(measure) == 0)
        found = f"{measure[0]:g} a step for the objective, {reward[0]:g} for the reward"
    else:
        together = float(np.corrcoef(measure, reward)[0, 1])
        opposed = sign * together < -0.3
        found = f"a correlation of {together:.2f} over {len(pairs)} random steps"
    if opposed:
        wanted = "rises" if sense == "maximize" else "falls"
        yield finding(
            "reward_follows_the_objective", "sar", "reward",
            f"the objective is to {sense} {facts.spec.model.step_measure}, and the reward goes the "
            "other way", expected=f"a reward that {wanted} with the objective's measure",
            found=found,
        )  # fmt: skip


def _constant(values: Numbers) -> bool:
    return bool(np.ptp(values) <= 1e-12 * np.abs(values).max())


def _played(facts: Facts) -> Numbers:
    """Measure and reward (n, 2) of steps under random decisions."""
    program = facts.program
    assert program is not None
    rows: list[tuple[float, float]] = []
    random = np.random.default_rng(0)
    try:
        for _ in range(EPISODES):
            play = Play(program, random)
            play.begin()
            for _ in range(STEPS):
                terms, measure, over = play.step(play.random_decisions())
                rows.append((float(measure.low), sum(float(t.low) for t in terms.values())))
                if over:
                    break
    except NotReadableError:
        return np.empty((0, 2))
    return np.array(rows)


def _constants(facts: Facts) -> Numbers:
    """Measure and reward of a standard environment where both are the same in every step."""
    texts = [facts.spec.model.step_measure]
    texts.append(" + ".join(f"({term.expression})" for term in facts.spec.sar.reward))
    values = []
    for text in texts:
        source = facts.source(text) if text.strip() else None
        if source is None:
            return np.empty((0, 2))
        try:
            value = Interpreter(facts.declared_values).value(source)
        except NotReadableError:
            return np.empty((0, 2))
        if value.low.ndim or not value.known:
            return np.empty((0, 2))
        values.append(float(value.low))
    return np.array([values])


def objective_is_in_the_reward(facts: Facts) -> Iterator[Finding]:
    """Each constant and quantity that the objective counts is one that the reward rests on."""
    counted = facts.spec.model.step_measure
    measured = facts.roots(counted)
    rewarded: set[str] = set()
    for term in facts.spec.sar.reward:
        rewarded |= facts.roots(term.expression)
    own = _direct(facts, counted)
    missing = [name for name in sorted(own) if name not in rewarded]
    if measured and missing:
        yield finding(
            "objective_is_in_the_reward", "sar", "reward",
            f"the objective counts {', '.join(missing)}, and no reward term does",
            expected=f"a reward for all of {counted}",
            found="; ".join(f"{t.name}: {t.expression}" for t in facts.spec.sar.reward),
        )  # fmt: skip


def _direct(facts: Facts, text: str) -> set[str]:
    """Constants and computed quantities that the measure itself names."""
    return {name.removeprefix(PREVIOUS) for name in names(text)} - {"time_step"}


def idleness_is_not_the_best(facts: Facts) -> Iterator[Finding]:
    """An option that never costs or earns anything does not beat what the goal is about.

    Found where some option has no reward in whatever state, no first step earns anything while
    some cost, and all that success can bring is less than what an episode may cost.
    """
    program = facts.program
    if program is None or len(program.decisions) != 1 or program.decisions[0].variable.shape:
        return
    options = _options(program)
    if not 2 <= len(options) <= 64:
        return
    try:
        anywhere = [_reward(facts, program, option, begun=False) for option in options]
        idle = [k for k, (low, high) in enumerate(anywhere) if low == high == 0]
        if not idle:
            return
        first = [_reward(facts, program, option, begun=True) for option in options]
    except NotReadableError:
        return
    cost = -min(low for low, _ in anywhere)
    gain = max(high for _, high in anywhere)
    horizon = facts.spec.model.horizon
    if max(high for _, high in first) > 0 or cost <= 0 or gain >= cost * horizon:
        return
    objective = facts.spec.objective
    yield finding(
        "idleness_is_not_the_best", "sar", "reward",
        f"always choosing {options[idle[0]][0]} costs nothing and earns nothing, while success, "
        f"worth at most {gain:g} in a step, comes only after steps that cost up to {cost:g} each",
        expected="a reward for the goal that outweighs all that an episode may cost on the way "
        f"({cost * horizon:g}), or a cost of standing still",
        found="; ".join(f"{t.name}: {t.expression}" for t in facts.spec.sar.reward),
        blocking=bool(_ALL.search(f"{objective.statement} {objective.quote}")),
    )  # fmt: skip


def _options(program: Program) -> list[tuple[str, float]]:
    """The values of the one decision, each with how it is called."""
    variable = program.decisions[0].variable
    low, high = program.ranges[variable.name]
    assert low is not None
    assert high is not None
    if variable.dtype == "real":
        return []
    values = range(int(np.ceil(low)), int(high) + 1)
    names = variable.labels or [f"{variable.name} = {value}" for value in values]
    return [(name, float(value)) for name, value in zip(names, values, strict=False)]


def _reward(
    facts: Facts, program: Program, option: tuple[str, float], *, begun: bool
) -> tuple[float, float]:
    """Least and largest reward of a step with ``option``, in the first step or in any."""
    play = Play(program)
    play.begin()
    if not begun:
        play.put(facts.declared_values)
    terms, _, _ = play.step({program.decisions[0].variable.name: Span.point(option[1])})
    return sum(t.least for t in terms.values()), sum(t.most for t in terms.values())
