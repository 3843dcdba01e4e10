"""The environment for many episodes at once does what the plain one does."""

from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.runtime import Runtime

from benchmarks.catalogue import task_description
from nodes.codegen.batch.operations import Draws
from nodes.codegen.batch.rewrite import Rewriter, Unbatchable
from nodes.codegen.batched import render_batched
from nodes.codegen.compile_spec import compile_spec
from nodes.codegen.program import Statement
from nodes.codegen.render import render_environment
from nodes.constraint import constraint
from nodes.environment import environment
from nodes.modeling import modeling
from nodes.models.factory import choose_model
from nodes.objective import objective
from nodes.parameter import parameter
from nodes.sar import sar
from nodes.settings import RunSettings
from nodes.variable import variable
from sandbox.training.equality import differs
from state.dynamics import CodeBody, Dynamics, Rule
from state.model import MarkovModel
from state.objective import Objective
from state.parameters import Parameter
from state.run_state import RunState
from state.sar import RewardTerm, StateActionReward
from state.spec import Spec
from state.variables import Variable
from tests.specs import drone, inventory, wireless

AGENTS = [parameter, objective, variable, constraint, modeling, sar, environment]
RECORDED = ["wireless", "inventory-management", "drone-delivery"]  # with rules of their own


def load(source: str) -> ModuleType:
    """A module made of source that this project's own compiler wrote."""
    module = ModuleType("generated")
    exec(compile(source, "generated.py", "exec"), module.__dict__)
    return module


def both(spec: Spec) -> tuple[Any, Any]:
    """The plain environment, and the class for many episodes."""
    program, problems = compile_spec(spec)
    assert program is not None, problems.findings
    source, reason = render_batched(program)
    assert source is not None, reason
    assert reason == ""
    plain = load(render_environment(program, [])).Environment()
    return plain, load(source).BatchedEnvironment


def recorded(task: str, folder: Path) -> Spec:
    """The specification that the recorded replies to a built-in task give."""
    description = task_description(task)
    model = choose_model("recorded", task=task, description=description)
    runtime = Runtime(context=RunSettings(model=model))
    state = RunState(title=task, description=description, run_folder=str(folder))
    for agent in AGENTS:
        state = state.model_copy(update=agent(state, runtime))
    return state.spec()


@pytest.mark.parametrize("make", [wireless, inventory, drone, lambda: drone(3)])
@pytest.mark.parametrize("size", [1, 7])
def test_hand_written_specifications_are_equal(make: Any, size: int) -> None:
    plain, batched = both(make())
    assert differs(plain, batched(size), 300, seed=size) == ""


@pytest.mark.parametrize("task", RECORDED)
def test_recorded_specifications_are_equal(task: str, tmp_path: Path) -> None:
    plain, batched = both(recorded(task, tmp_path))
    assert differs(plain, batched(5), 400, seed=3) == ""


def test_observations_and_flags_have_their_types_and_shapes() -> None:
    _, batched = both(drone(3))
    several = batched(6)
    seen = several.reset(seed=1)
    assert (seen.shape, seen.dtype) == ((6, 18), np.float32)
    seen, rewards, terminated, truncated = several.step(np.zeros(6, dtype=int))
    assert (seen.shape, seen.dtype) == ((6, 18), np.float32)
    assert (rewards.shape, rewards.dtype) == ((6,), np.float64)
    assert terminated.shape == truncated.shape == (6,)
    assert terminated.dtype == truncated.dtype == bool
    assert several.observation_space.contains(seen[0])
    assert several.horizon == 400


def test_same_seed_gives_the_same_episodes() -> None:
    _, batched = both(inventory())
    one, other = batched(4), batched(4)
    actions = np.full((4, 10), 8)
    for environment_ in (one, other):
        environment_.reset(seed=5)
    for _ in range(20):
        assert np.array_equal(one.step(actions)[0], other.step(actions)[0])
    assert len(np.unique(one.step(actions)[0], axis=0)) == 4


def test_restart_begins_anew_there_and_nowhere_else() -> None:
    _, batched = both(inventory())
    several = batched(5)
    several.reset(seed=0)
    for _ in range(3):
        seen, *_ = several.step(np.full((5, 10), 20))
    fresh = several.restart(np.array([3, 1]))
    assert fresh.shape == (2, 10)
    assert np.array_equal(fresh, np.zeros((2, 10)))
    now = several.observation()
    assert np.array_equal(now[[1, 3]], fresh)
    assert np.array_equal(now[[0, 2, 4]], seen[[0, 2, 4]])
    assert several.time_step.tolist() == [3, 0, 3, 0, 3]


def test_parts_can_be_taken_out_and_put_elsewhere() -> None:
    _, batched = both(inventory())
    several = batched(4)
    several.reset(seed=0)
    for k in range(3):
        seen, *_ = several.step(np.arange(40).reshape(4, 10) % (7 + k))
    part = several.part(np.array([3, 1]))
    assert part.size == 2
    assert np.array_equal(part.observation(), seen[[3, 1]])
    several.restart(np.array([0]))
    several.put(np.array([0, 2]), part)
    assert np.array_equal(several.observation(), seen[[3, 1, 1, 3]])
    assert several.time_step.tolist() == [3, 3, 3, 3]
    several.step(np.zeros((4, 10)))
    assert np.array_equal(part.observation(), seen[[3, 1]])


def test_no_restart_at_all_changes_nothing() -> None:
    _, batched = both(drone(4))
    several = batched(3)
    seen = several.reset(seed=0)
    assert several.restart(np.array([], dtype=int)).shape == (0, 18)
    assert np.array_equal(several.observation(), seen)
    assert several.copies(np.array([], dtype=int)).observation().shape == (0, 18)


def test_copies_start_where_they_were_taken_and_go_their_own_way() -> None:
    _, batched = both(inventory())
    several = batched(3)
    several.reset(seed=0)
    for _ in range(4):
        seen, *_ = several.step(np.full((3, 10), 9))
    copies = several.copies(np.array([2, 2, 0, 1]))
    assert copies.size == 4
    assert np.array_equal(copies.observation(), seen[[2, 2, 0, 1]])
    assert copies.time_step.tolist() == [4, 4, 4, 4]
    after, *_ = copies.step(np.full((4, 10), 9))
    assert np.array_equal(several.observation(), seen)
    own, *_ = several.step(np.full((3, 10), 9))
    assert not np.array_equal(after[0], after[1])
    assert not np.array_equal(after[2], own[0])


def test_an_episode_that_has_ended_can_be_stepped() -> None:
    _, batched = both(drone(3))
    several = batched(4)
    several.reset(seed=0)
    for _ in range(500):
        *_, terminated, truncated = several.step(np.zeros(4, dtype=int))
    assert np.all(terminated | truncated)


@pytest.mark.parametrize(
    "text",
    [
        "1 / (i - 1) if i > 1 else 0",
        "v[w[0] - 9] if w[0] > 8 else v[0]",
        "max(0, log(x))",
        "min(1, sqrt(x))",
        "clip(log(x), -1, 1)",
        "poisson(x) if x > 0 else 0",
        "normal(0, 1) if x > 0 else (normal(0, 1) if flag else normal(0, 1))",
        "flag and bernoulli(0.5) == 1 and normal(0, 1) > 0",
        "flag or bernoulli(0.5) == 1 or normal(0, 1) > 0",
    ],
)
def test_what_one_episode_does_not_evaluate_does_no_harm(text: str) -> None:
    plain, batched = both(small(text))
    assert differs(plain, batched(9), 40, seed=2) == ""


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("normal", (1.0, 2.0)),
        ("lognormal", (0.1, 0.2)),
        ("exponential", (3.0,)),
        ("uniform", (-1.0, 4.0)),
        ("poisson", (8,)),
        ("binomial", (9, 0.3)),
    ],
)
def test_draws_are_those_of_numpy(method: str, parameters: tuple[float, ...]) -> None:
    drawn = Draws(np.random.default_rng(4))(method, *parameters, size=(3, 50))
    numbers = getattr(np.random.default_rng(4), method)(*parameters, size=(3, 50))
    assert np.array_equal(drawn, numbers)


def test_whole_numbers_are_drawn_up_to_the_last() -> None:
    drawn = Draws(np.random.default_rng(4))("integers", 2, np.array([2, 4]), size=(500, 2))
    assert set(drawn[:, 0]) == {2}
    assert set(drawn[:, 1]) == {2, 3, 4}


def test_choices_are_those_of_numpy() -> None:
    weights = np.array([0.2, 0.0, 0.5, 0.3])
    drawn = Draws(np.random.default_rng(4))("choice", 4, weights[:, np.newaxis], size=(3, 50))
    assert np.array_equal(drawn, np.random.default_rng(4).choice(4, p=weights, size=(3, 50)))
    values = np.array([5.0, 6.0, 7.0, 8.0])
    drawn = Draws(np.random.default_rng(4))(
        "choice", values[:, np.newaxis], weights[:, np.newaxis], size=(50,)
    )
    assert np.array_equal(drawn, np.random.default_rng(4).choice(values, p=weights, size=50))
    drawn = Draws(np.random.default_rng(4))("choice", values[:, np.newaxis], size=(50,))
    assert np.array_equal(drawn, np.random.default_rng(4).choice(values, size=50))


def test_each_episode_has_its_own_weights() -> None:
    weights = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.5]])
    drawn = Draws(np.random.default_rng(4))("choice", 2, weights, size=(400, 3))
    assert np.mean(drawn, axis=0) == pytest.approx([0, 1, 0.5], abs=0.1)


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("normal", (np.zeros(2), np.array([-1.0, np.nan]))),
        ("poisson", (np.array([-1.0, np.nan]),)),
        ("binomial", (np.array([-1, 3]), np.array([2.0, np.nan]))),
        ("uniform", (np.array([3.0, np.nan]), np.array([1.0, np.inf]))),
        ("integers", (np.array([3, 7]), np.array([1, 2]))),
        ("choice", (2, np.full((2, 2), np.nan))),
    ],
)
def test_parameters_of_ended_episodes_do_not_raise(method: str, parameters: Any) -> None:
    with np.errstate(all="ignore"):
        assert Draws(np.random.default_rng(0))(method, *parameters, size=(2,)).shape == (2,)


def test_code_bodies_are_refused_by_name() -> None:
    body = CodeBody(name="solve", when="step", purpose="solve it", reads=["x"], writes=["number"])
    program, problems = compile_spec(small(bodies=[body]))
    assert program is not None, problems.findings
    source, reason = render_batched(program)
    assert source is None
    assert "code body" in reason
    assert "solve" in reason


@pytest.mark.parametrize(
    "source",
    [
        "np.linalg.norm(self.v)",
        "np.sum(self.v, axis=0)",
        "sorted(self.v)",
        "0 < self.x < 1",
        "self.unknown",
        "unknown",
        "[self.x, 1]",
        "self.v[self.a, self.a]",
        "self.v[self.a, 1:]",
        "self.np_random.gamma(1, 2)",
        "self.np_random.integers(1, 2)",
        "self.np_random.normal(1, 2, dtype=float)",
        "float(np.full(3, self.x, dtype=int))",
    ],
)
def test_what_is_not_known_is_refused(source: str) -> None:
    names = {name: name for name in ("x", "v", "a")}
    rewriter = Rewriter(names, {"x": (), "v": (3, 3), "a": (2,)})
    with pytest.raises(Unbatchable, match=r"many episodes|several|not known|highest"):
        rewriter.value(source, "float")


def test_an_unbatchable_program_is_refused_with_the_reason() -> None:
    program, _ = compile_spec(small())
    assert program is not None
    program.step.append(Statement(("x",), "np.median(self.v)"))
    source, reason = render_batched(program)
    assert source is None
    assert "np.median(self.v)" in reason


class TestDifferencesAreNoticed:
    """A class that does something else in one place is not taken for equal."""

    def test_in_the_reward(self) -> None:
        plain, batched = both(inventory())

        def step(self: Any, actions: Any) -> Any:
            seen, rewards, *ends = batched.step(self, actions)
            return seen, rewards + 1e-3 * (self.time_step == 50), *ends

        wrong = type("Wrong", (batched,), {"step": step})
        assert "in step 50: reward" in differs(plain, wrong(6), 300, seed=0)

    def test_in_one_number_that_is_seen(self) -> None:
        plain, batched = both(inventory())

        def observation(self: Any) -> Any:
            seen = batched.observation(self)
            seen[3, 2] += 1
            return seen

        wrong = type("Wrong", (batched,), {"observation": observation})
        assert "in reset: observation (3, 2)" in differs(plain, wrong(6), 300, seed=0)

    def test_in_the_end_of_an_episode(self) -> None:
        plain, batched = both(inventory())
        wrong = type("Wrong", (batched,), {"horizon": 101})
        assert "in step 100: truncated" in differs(plain, wrong(6), 300, seed=0)

    def test_in_what_a_restart_leaves_behind(self) -> None:
        plain, batched = both(inventory())

        def restart(self: Any, which: Any) -> Any:
            stock = self.stock
            seen = batched.restart(self, which)
            self.stock = stock
            return seen

        wrong = type("Wrong", (batched,), {"restart": restart})
        assert "in step 101: observation" in differs(plain, wrong(6), 300, seed=0)

    def test_in_what_is_drawn(self) -> None:
        plain, batched = both(inventory())
        several = batched(3)
        several.mean_demand = 9
        assert "draws poisson with" in differs(plain, several, 5, seed=0)

    def test_in_how_often_it_is_drawn(self) -> None:
        number = small("normal(0, 1) if i == 1 else 0")
        plain, batched = both(number)
        other_plain, other_batched = both(small("normal(0, 1)"))
        assert "the plain" in differs(other_plain, batched(2), 50, seed=0)
        assert "the batched" in differs(plain, other_batched(2), 50, seed=0)

    def test_in_a_draw_too_few_or_too_many(self) -> None:
        plain, batched = both(wireless())

        def fewer(self: Any, actions: Any) -> Any:
            draws, self.draws = self.draws, Draws(np.random.default_rng(0))
            result = batched.step(self, actions)
            self.draws = draws
            return result

        def more(self: Any, actions: Any) -> Any:
            self.draws("normal", 0.0, 1.0, size=(self.size,))
            return batched.step(self, actions)

        wrong = type("Wrong", (batched,), {"step": fewer})
        assert "observation" in differs(plain, wrong(2), 5, seed=0)
        wrong = type("Wrong", (batched,), {"step": more})
        assert "draws normal () in the batched form" in differs(plain, wrong(2), 5, seed=0)

    def test_a_failure_is_no_equality(self) -> None:
        plain, batched = both(small(number="1 / (i - i)"))
        assert "ZeroDivisionError" in differs(plain, batched(2), 5, seed=0)


def small(
    number: str = "0",
    line: str = "0",
    noise: str = "normal(x, 1)",
    bodies: list[CodeBody] | None = None,
) -> Spec:
    """A specification with quantities of all kinds; ``number`` and ``line`` are seen."""

    def system(name: str, dtype: Any, *shape: int) -> Variable:
        return Variable(name=name, role="system", definition=name, dtype=dtype, shape=list(shape))

    written = [name for body in bodies or [] for name in body.writes]
    code = [Rule(variable=name, kind="code", initial="0") for name in written]
    rules = [
        Rule(variable="x", kind="updated", initial="uniform(-3, 3)", expression="0.9 * x + noise"),
        Rule(variable="noise", kind="revealed_after_decision", expression=noise),
        Rule(variable="i", kind="updated", initial="1", expression="markov_chain(i, chain)"),
        Rule(variable="v", kind="known_before_decision", expression="normal(prices, 2)"),
        Rule(variable="w", kind="updated", initial="uniform_integer(0, 5)",
             expression="where(w > 4, 0, w + act)"),
        Rule(variable="flag", kind="known_before_decision", expression="bernoulli(0.5) == 1"),
        Rule(variable="table", kind="known_before_decision", expression="uniform(-1, size)"),
        Rule(variable="number", kind="computed", expression=number),
        Rule(variable="line", kind="computed", expression=line),
    ]  # fmt: skip
    return Spec(
        title="small",
        description="all kinds of quantities",
        parameters=[
            Parameter(name="size", definition="a name that the frame uses too", value=2.5),
            Parameter(name="prices", definition="of three", value=[1.5, 2.0, -0.5]),
            Parameter(name="grid", definition="2 x 3", value=[[1.0, 2.0, 3.0], [0.1, 0.2, -4.0]]),
            Parameter(name="shares", definition="of three", value=[0.2, 0.3, 0.5]),
            Parameter(name="chain", definition="of three", value=[[0.1, 0.9, 0.0], [0.5, 0.0, 0.5],
                                                                  [0.3, 0.3, 0.4]]),
        ],
        objective=Objective(sense="maximize", statement="much", measure="much"),
        variables=[
            Variable(name="act", role="decision", definition="a", dtype="integer", low=0, high=2),
            Variable(name="pull", role="decision", definition="p", dtype="real", shape=[2], low=-1,
                     high="size"),
            system("x", "real"), system("noise", "real"), system("i", "integer"),
            system("v", "real", 3), system("w", "integer", 3), system("flag", "boolean"),
            system("table", "real", 2, 3), system("number", "real"), system("line", "real", 3),
        ],
        constraints=[],
        model=MarkovModel(objective_latex="", discount=1, horizon=4, constraints=[],
                          step_measure="number + x"),
        sar=StateActionReward(
            observation=["x", "i", "v", "w", "flag", "table", "number", "line"],
            action=["act", "pull"],
            reward=[RewardTerm(name="sum", expression="sum(line) - number + pull[1]"),
                    RewardTerm(name="chosen", expression="v[act]")],
        ),
        dynamics=Dynamics(rules=[*code, *(rule for rule in rules if rule.variable not in written)],
                          termination="x > 4 and flag", bodies=bodies or []),
    )  # fmt: skip


def joined(*options: str) -> st.SearchStrategy[str]:
    return st.sampled_from(options)


NUMBERS = joined("x", "i", "act", "size", "2", "0.5", "noise", "time_step", "previous_x", "v[i]",
                 "v[2]", "table[1, i]", "grid[min(act, 1), i]", "pull[0]", "w[act]")  # fmt: skip
LINES = joined("v", "w", "prices", "shares", "table[0]", "grid[min(act, 1)]", "previous_w",
               "indices(v)", "1.5", "chain[i]", "table[i - i]")  # fmt: skip


def grown(children: st.SearchStrategy[tuple[str, str]]) -> st.SearchStrategy[tuple[str, str]]:
    """Larger (number, line) pairs of expressions out of smaller ones."""
    conditions = joined("{a} > {b}", "flag", "flag and {a} < {b}", "{a} <= {b} < 1 or not flag",
                        "any({l} > {a})", "all({l} != {m})", "i == 1")  # fmt: skip
    numbers = joined(
        "({a} + {b})", "({a} - {b})", "({a} * {b})", "({a} / (1 + abs({b})))",
        "({a} // (2 + abs({b})))", "({a} % 3)", "(abs({a}) ** 0.5)", "-{a}", "max({a}, {b})",
        "min({a}, {b}, 1)", "clip({a}, -1, {b})", "({a} if {c} else {b})", "floor({a})",
        "round({a})", "sign({a})", "tanh({a})", "hypot({a}, {b})", "sum({l})", "mean({l})",
        "min({l})", "max({l})", "prod({l})", "argmax({l})", "argmin({l})", "dot({l}, {m})",
        "({l})[i]", "sum(table)", "max(grid * table)", "sum(grid * {l})", "({c})", "size({l})",
        "(normal({a}, 1) if {c} else {b})", "(poisson(abs({a})) if {c} else 0)",
        "log(1 + abs({a}))", "sum(one_hot(i, 3) * {l})", "max(concat({l}, {a}, {m}))",
        "categorical(shares)", "choice(prices)", "choice(prices, shares)", "sum(table[:, i])",
        "v[-1]", "chain[i, 2 - i]", "sum(chain[i, :2])", "sum(w[w % 3])", "sum(v[1:])",
        "mean(table)", "prod(grid)",
        "argmax(table)", "sum(concat(v, v, prices))", "dot(concat(v, v, v), concat(w, v, {a} + v))",
        "sum(table[0, 1:])", "binomial(i, 0.5)", "sum([{a}, {b}, 1])", "lognormal(0, 0.1)",
        "exponential(1 + abs({a}))", "(1 if bernoulli(0.5) == 1 and uniform(0, 1) > 0.3 else {a})",
    )  # fmt: skip
    lines = joined(
        "({l} + {m})", "({l} * {a})", "({a} - {l})", "where({l} > {m}, {a}, {m})",
        "where({c}, {l}, {m})", "max({l}, {m})", "min({l}, {a})", "cumsum({l} + 0 * v)",
        "sort({l} + 0 * v)", "shift({l} + 0 * v, {a})", "[{a}, {b}, 1]", "abs({l})", "-{l}",
        "concat(table[0, :2], {a})", "clip({l}, -1, {a})", "({c}) * {l}", "one_hot(i, 3)",
        "(not ({l} > {m})) * 2", "({l} + 0 * v)[w % 3]", "normal({l}, 1)", "poisson(2)",
        "uniform(min({l}, 0), max({a}, 0))", "uniform_integer(0, i)", "choice(prices, shares)",
        "round({l})", "floor({l} + 0.5)",
    )  # fmt: skip

    def fill(parts: tuple[str, str, str, tuple[str, str], tuple[str, str]]) -> tuple[str, str]:
        number, line, condition, (a, left), (b, right) = parts
        names = {"a": a, "b": b, "l": left, "m": right}
        names["c"] = condition.format(**names)
        return number.format(**names), line.format(**names)

    return st.tuples(numbers, lines, conditions, children, children).map(fill)


EXPRESSIONS = st.recursive(st.tuples(NUMBERS, LINES), grown, max_leaves=6)


def check(texts: tuple[str, str]) -> None:
    """An expression that compiles is batched, and equal over six steps of four episodes."""
    program, _ = compile_spec(small(*texts))
    if program is not None:
        source, reason = render_batched(program)
        assert source is not None, reason
        plain = load(render_environment(program, [])).Environment()
        assert differs(plain, load(source).BatchedEnvironment(4), 6, seed=1) == ""


@given(EXPRESSIONS)
@settings(max_examples=40, deadline=None)
def test_any_expressions_are_equal(texts: tuple[str, str]) -> None:
    check(texts)


@pytest.mark.slow
@given(EXPRESSIONS)
@settings(max_examples=600, deadline=None)
def test_many_more_expressions_are_equal(texts: tuple[str, str]) -> None:
    check(texts)
