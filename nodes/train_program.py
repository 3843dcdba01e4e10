"""Writing train.py from the training plan."""

from nodes.codegen.render import templates
from state.spec import Spec
from state.training import TrainingPlan

# DQN learns from old steps and PPO from new ones, both better from several episodes at once;
# SAC makes one gradient step a step.
PARALLEL_ENVIRONMENTS = {"DQN": 4, "PPO": 8, "SAC": 1}
# Seeds of the generated program stay below those of its evaluations.
SEEDS = 100_000_000


def render_train_program(spec: Spec, plan: TrainingPlan, *, flattened: bool) -> str:
    """Text of train.py, a program that needs only Stable-Baselines3 and the environment.

    Args:
        spec: for the title and for the id of a standard environment.
        plan: algorithm, discount, steps, time and seed.
        flattened: the joint actions are numbered from 0 (see ``training_plan.is_flattened``).
    """
    return (
        templates()
        .get_template("train.py.j2")
        .render(
            title=_inside_docstring(spec.title),
            plan=plan,
            seed=plan.seed % SEEDS,
            parallel=PARALLEL_ENVIRONMENTS[plan.algorithm],
            generated=not spec.dynamics.gymnasium_id,
            gymnasium_id=spec.dynamics.gymnasium_id,
            flattened=flattened,
        )
    )


def _inside_docstring(text: str) -> str:
    """``text`` such that it cannot end the docstring that it stands in."""
    return " ".join(text.replace("\\", "/").replace('"', "'").split())[:80]
