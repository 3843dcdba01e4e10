"""Gymnasium's small problems of chance: a frozen lake, a taxi, blackjack."""

from functools import cache
from typing import Any

import gymnasium
import numpy as np

from benchmarks.exact import FiniteProblem, Transition, from_transitions
from benchmarks.other.spelling import decision, quantity, standard
from state.spec import Spec

TIME_LIMIT = 200
"""Steps of an episode of the lake and the taxi, as registered."""


def frozen_lake() -> Spec:
    """Over slippery ice to the other corner of an 8 x 8 lake with holes."""
    return standard(
        "FrozenLake8x8-v1",
        "Reach the goal without falling into a hole.",
        variables=[
            decision("direction", "where to go", 0, 3, labels=["left", "down", "right", "up"]),
            quantity("cell", "where one stands", 0, 63),
        ],
        reward="1 * (cell == 63)",
        horizon=TIME_LIMIT,
    )


def taxi() -> Spec:
    """Fetch a passenger and bring them to one of four places."""
    return standard(
        "Taxi-v4",
        "Bring the passenger to the destination in few steps.",
        variables=[
            decision("action", "what the taxi does", 0, 5,
                     labels=["south", "north", "east", "west", "pick_up", "drop_off"]),
            quantity("state", "taxi, passenger and destination in one number", 0, 499),
        ],
        reward="-1",
        horizon=TIME_LIMIT,
    )  # fmt: skip


def blackjack() -> Spec:
    """Draw cards or stand, by the rules of Sutton and Barto."""
    return standard(
        "Blackjack-v1",
        "Beat the dealer.",
        variables=[
            decision("action", "stand or draw", 0, 1, labels=["stand", "draw"]),
            quantity("player_sum", "sum of the player's cards", 0, 31),
            quantity("dealer_card", "the card of the dealer that is seen", 0, 10),
            quantity("usable_ace", "whether an ace counts as 11", 0, 1),
        ],
        reward="0",
        horizon=MOST_CARDS,
    )


def exact(gymnasium_id: str) -> FiniteProblem:
    """The problem of Gymnasium's own table of transitions."""
    environment: Any = gymnasium.make(gymnasium_id).unwrapped
    return from_transitions(environment.P, environment.initial_state_distrib, TIME_LIMIT)


# Blackjack has no table, so it is made here: states by sum, dealer's card and usable ace.

CARDS = {card: 4 / 13 if card == 10 else 1 / 13 for card in range(1, 11)}
MOST_CARDS = 20  # more than 20 cards, all but two drawn, exceed 21 in any case


def exact_blackjack() -> FiniteProblem:
    """States are numbered by :func:`blackjack_state`.

    The last 10, by dealer's card, are 21 in the two cards dealt, which only the dealer's own such
    21 holds off.
    """
    table: dict[int, dict[int, list[Transition]]] = {}
    for total in range(32):
        for dealer in range(11):
            for ace in range(2):
                here = blackjack_state((total, dealer, ace))
                standing = _standing(total, dealer) if dealer and 4 <= total <= 21 else []
                drawing = _drawing(total, dealer, ace) if standing else []
                table[here] = {0: standing, 1: drawing}
    naturals = len(table)
    for dealer in range(1, 11):
        against = _dealer_totals(11 if dealer == 1 else dealer, dealer == 1, 1)
        reward = 1 - against.get("natural", 0.0)
        drawn = _drawing(21, dealer, 1)
        table[naturals + dealer - 1] = {0: [(1.0, 0, reward, True)], 1: drawn}
    start = np.zeros(len(table))
    for first, p in CARDS.items():
        for second, q in CARDS.items():
            ace = int(1 in (first, second))
            total = first + second + 10 * ace
            for dealer, r in CARDS.items():
                dealt = blackjack_state((total, dealer, ace))
                start[naturals + dealer - 1 if total == 21 else dealt] += p * q * r
    return from_transitions(table, start, MOST_CARDS)


def blackjack_state(observation: Any) -> int:
    """Number of an observation in :func:`exact_blackjack`; naturals are not told apart."""
    total, dealer, ace = (int(number) for number in observation)
    return (total * 11 + dealer) * 2 + ace


def _drawing(total: int, dealer: int, ace: int) -> list[Transition]:
    outcomes: list[Transition] = []
    for card, probability in CARDS.items():
        reached, usable = _with_card(total, bool(ace), card)
        state = blackjack_state((min(reached, 31), dealer, int(usable)))
        bust = reached > 21
        outcomes.append((probability, state, -1.0 if bust else 0.0, bust))
    return outcomes


def _standing(total: int, dealer: int) -> list[Transition]:
    against = _dealer_totals(11 if dealer == 1 else dealer, dealer == 1, 1)
    reward = 0.0
    for result, probability in against.items():
        reached = 21 if result == "natural" else int(result)
        reward += probability * (1.0 if reached > 21 or reached < total else -(reached > total))
    return [(1.0, 0, reward, True)]


@cache
def _dealer_totals(total: int, ace: bool, cards: int) -> dict[str, float]:
    """Probabilities of the dealer's last sums; those over 21 are bust."""
    if total >= 17:
        return {"natural" if cards == 2 and total == 21 else str(total): 1.0}
    found: dict[str, float] = {}
    for card, probability in CARDS.items():
        reached, usable = _with_card(total, ace, card)
        for result, share in _dealer_totals(reached, usable, cards + 1).items():
            found[result] = found.get(result, 0.0) + probability * share
    return found


def _with_card(total: int, ace: bool, card: int) -> tuple[int, bool]:
    total += card
    if card == 1 and total + 10 <= 21:
        total, ace = total + 10, True
    if total > 21 and ace:
        total, ace = total - 10, False
    return total, ace
