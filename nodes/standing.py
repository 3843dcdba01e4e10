"""Where a policy stands: against one-step greedy, and against the best policy that there can be."""

from state.training import Evaluation, ReturnEstimate, TrainingRecord


def standing(evaluation: Evaluation, training: TrainingRecord) -> list[str]:
    """Sentences for the report."""
    greedy = evaluation.baseline("greedy")
    found = [_against_greedy(evaluation.trained, greedy)] if greedy is not None else []
    return [*found, _against_the_best(evaluation, training)]


def _against_greedy(trained: ReturnEstimate, greedy: ReturnEstimate) -> str:
    if trained.low > greedy.high:
        return "The policy is better than one-step greedy decisions, beyond both intervals."
    if trained.high < greedy.low:
        return "The policy is worse than one-step greedy decisions, beyond both intervals."
    return "The policy and one-step greedy decisions are too close to be told apart."


def _against_the_best(evaluation: Evaluation, training: TrainingRecord) -> str:
    best, trained = training.optimum, evaluation.trained
    if best is None:
        why = training.no_optimum.rstrip(".") or "value iteration was not tried"
        return f"How far the best policy would get is not known: {why}."
    gap = best - trained.mean
    within = " (within its interval)" if trained.low <= best <= trained.high else ""
    random = evaluation.baseline("random")
    share = ""
    if random is not None and best > random.mean:
        share = f", {gap / (best - random.mean):.2%} of the way from random decisions to the best"
    return (
        f"Value iteration over all states gives {best:.6g} for the best policy that there can be; "
        f"the gap is {gap:.4g}{share}{within}."
    )
