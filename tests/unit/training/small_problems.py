"""Problems in the form of generated environments, small enough to be solved exactly."""

from typing import ClassVar

import gymnasium
import numpy as np


class Small(gymnasium.Env):
    """What they share: a count of steps, a horizon, named quantities in ``info``."""

    horizon = 30

    def __init__(self):
        self.time_step = 0
        self.observation_space = gymnasium.spaces.Box(-1e6, 1e6, (self.seen,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(self.choices)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.time_step = 0
        self.begin()
        return self.observation(), {"quantities": self.quantities()}

    def step(self, action):
        reward, terminated = self.act(self.decided(action))
        quantities = self.quantities()
        self.time_step += 1
        truncated = not terminated and self.time_step >= self.horizon
        return self.observation(), reward, terminated, truncated, {"quantities": quantities}

    def decided(self, action):
        return int(action)

    def quantities(self):
        return {"time_step": self.time_step, **{name: getattr(self, name) for name in self.named}}

    named: ClassVar[tuple[str, ...]] = ()


class LostSales(Small):
    """Poisson demand; what is ordered arrives after the next demand; lost sales cost."""

    seen, choices, rate, most = 2, 6, 2.0, 9
    named = ("stock", "coming", "order", "demand", "sold")

    def begin(self):
        self.stock = 3.0
        self.coming = 0.0
        self.order = 0.0
        self.demand = 0
        self.sold = 0.0

    def act(self, action):
        self.order = float(action)
        self.demand = self.np_random.poisson(self.rate)
        self.sold = min(self.stock, float(self.demand))
        lost = self.demand - self.sold
        self.stock = min(self.stock - self.sold + self.coming, float(self.most))
        self.coming = self.order
        return 5.0 * self.sold - 2.0 * self.order - 0.5 * self.stock - 1.0 * lost, False

    def observation(self):
        return np.hstack([self.stock, self.coming]).astype(np.float32)


class Admission(Small):
    """One server; each step a customer of one of two classes comes, and may be let in."""

    seen, choices, room = 2, 2, 8
    named = ("queue", "asking", "total")
    horizon = 60

    def begin(self):
        self.queue = 0
        self.asking = int(self.np_random.choice(3, p=[0.4, 0.4, 0.2]))
        self.total = 0.0

    def act(self, action):
        reward = 0.0
        if action == 1 and self.asking > 0 and self.queue < self.room:
            self.queue += 1
            reward += (0.0, 2.0, 6.0)[self.asking]
        if self.queue > 0 and self.np_random.binomial(1, 0.45):
            self.queue -= 1
        reward -= 0.3 * self.queue
        self.asking = int(self.np_random.choice(3, p=[0.4, 0.4, 0.2]))
        return reward, False

    def observation(self):
        return np.hstack([self.queue, self.asking]).astype(np.float32)


class Accounting(Admission):
    """The same, adding up what was earned in a number that nothing depends on."""

    def act(self, action):
        reward, terminated = super().act(action)
        self.total = self.total + reward * 1.1
        return reward, terminated


class Noisy(Small):
    """A normal draw moves the level."""

    seen, choices = 1, 2

    def begin(self):
        self.level = 0.0

    def act(self, action):
        self.level = self.level + self.np_random.normal(0.0, 1.0) + action
        return -abs(self.level), False

    def observation(self):
        return np.hstack([self.level]).astype(np.float32)


class Hidden(Small):
    """The side that pays is drawn once and never shown; what is shown says nothing of it."""

    seen, choices = 1, 2
    horizon = 5

    def begin(self):
        self.side = self.np_random.integers(2)
        self.last = 0

    def act(self, action):
        self.last = int(action == self.side)
        return float(self.last), False

    def observation(self):
        return np.hstack([self.last]).astype(np.float32)


class Seasonal(Small):
    """What pays depends on whether the step is even; the time is not shown."""

    seen, choices = 1, 2
    horizon = 6

    def begin(self):
        self.level = 0

    def act(self, action):
        return float(action == self.time_step % 2), False

    def observation(self):
        return np.hstack([self.level]).astype(np.float32)


class ManyDraws(Small):
    """Eight Poisson demands at once and one level that is kept."""

    seen, choices = 1, 4
    horizon = 10

    def begin(self):
        self.stock = 0

    def act(self, action):
        demand = int(self.np_random.poisson(0.2, size=8).sum())
        stock = min(self.stock + 2 * action, 8)
        sold = min(stock, demand)
        self.stock = stock - sold
        return 3.0 * sold - 1.0 * action - 0.2 * self.stock, False

    def observation(self):
        return np.hstack([self.stock]).astype(np.float32)


class Counting(Small):
    """A walk without bounds."""

    seen, choices = 1, 3
    horizon = 1000

    def begin(self):
        self.place = 0

    def act(self, action):
        self.place += (action - 1) * self.np_random.integers(1, 100)
        return float(self.place), False

    def observation(self):
        return np.hstack([self.place]).astype(np.float32)


class OwnGenerator(Small):
    """Draws from a generator of its own."""

    seen, choices = 1, 2

    def begin(self):
        self.generator = np.random.default_rng(3)

    def act(self, action):
        return float(self.generator.integers(2) == action), False

    def observation(self):
        return np.zeros(1, dtype=np.float32)


class GlobalDraws(Small):
    """Moves by numpy's global generator."""

    seen, choices = 1, 2

    def begin(self):
        self.place = 0

    def act(self, action):
        self.place = (self.place + int(np.random.randint(3)) + action) % 50
        return float(self.place == 7), False

    def observation(self):
        return np.hstack([self.place]).astype(np.float32)


class OneDraw(ManyDraws):
    """The same as ``ManyDraws``, with the sum of the demands as one draw."""

    def act(self, action):
        demand = int(self.np_random.poisson(1.6))
        stock = min(self.stock + 2 * action, 8)
        sold = min(stock, demand)
        self.stock = stock - sold
        return 3.0 * sold - 1.0 * action - 0.2 * self.stock, False


class HiddenDie(Small):
    """A die is cast and not shown; it pays what it shows (action 1), or is cast again for free."""

    seen, choices = 1, 2
    horizon = 3

    def begin(self):
        self.die = self.np_random.integers(1, 7)

    def act(self, action):
        if action == 1:
            return float(self.die), True
        self.die = self.np_random.integers(1, 7)
        return 0.0, False

    def observation(self):
        return np.zeros(1, dtype=np.float32)


class Climb(Small):
    """Action 1 climbs to the top at place 3 and ends there; each place pays its height.

    The number beside the place is drawn anew at each step.
    """

    seen, choices = 2, 2
    horizon = 5

    def begin(self):
        self.place = 0
        self.draw = self.np_random.random()

    def act(self, action):
        self.place += action
        self.draw = self.np_random.random()
        return float(self.place), self.place == 3

    def observation(self):
        return np.hstack([self.place, self.draw]).astype(np.float32)


class Matching(Small):
    """Pays for naming the number that is shown; each step shows another one."""

    seen, choices = 1, 3
    horizon = 10

    def begin(self):
        self.shown = self.np_random.integers(3)

    def act(self, action):
        reward = float(action == self.shown)
        self.shown = self.np_random.integers(3)
        return reward, False

    def observation(self):
        return np.hstack([self.shown]).astype(np.float32)


class MatchingMany(Small):
    """The same with five numbers at once, each of which pays for itself."""

    seen, choices = 5, 3
    horizon = 10

    def __init__(self):
        super().__init__()
        self.action_space = gymnasium.spaces.MultiDiscrete([3] * 5)

    def decided(self, action):
        return np.asarray(action)

    def begin(self):
        self.shown = self.np_random.integers(3, size=5)

    def act(self, action):
        reward = float((action == self.shown).sum())
        self.shown = self.np_random.integers(3, size=5)
        return reward, False

    def observation(self):
        return self.shown.astype(np.float32)


class Errand(Small):
    """A walk along a corridor of 12 places: fetch something at one, bring it to another.

    Each step costs 1; only bringing it pays, and ends the episode. Random walks hardly ever do.
    """

    seen, choices, length = 4, 4, 12
    horizon = 60
    named = ("place", "source", "goal", "carrying")

    def begin(self):
        self.place, self.source, self.goal = (int(k) for k in self.np_random.integers(12, size=3))
        self.carrying = 0

    def act(self, action):
        if action < 2:
            self.place = min(max(self.place + 2 * action - 1, 0), self.length - 1)
        elif action == 2 and self.place == self.source:
            self.carrying = 1
        elif action == 3 and self.place == self.goal and self.carrying:
            return 99.0, True
        return -1.0, False

    def observation(self):
        return np.hstack([self.place, self.source, self.goal, self.carrying]).astype(np.float32)


class Corridor(Small):
    """A walk along a corridor of 40 places; each step costs 1 until the last one is reached."""

    seen, choices = 1, 2
    horizon = 80

    def begin(self):
        self.place = int(self.np_random.integers(3))

    def act(self, action):
        self.place = max(self.place + 2 * action - 1, 0)
        return -1.0, self.place == 39

    def observation(self):
        return np.array([self.place], dtype=np.float32)


class Aiming(Small):
    """Two real numbers between 0 and 10; pays the less, the farther they are from those shown."""

    seen, choices = 2, 1
    horizon = 10

    def __init__(self):
        super().__init__()
        self.action_space = gymnasium.spaces.Box(0.0, 10.0, (2,), np.float32)

    def decided(self, action):
        return np.asarray(action)

    def begin(self):
        self.target = self.np_random.uniform(0, 10, size=2)

    def act(self, action):
        reward = -float(np.abs(action - self.target).sum())
        self.target = self.np_random.uniform(0, 10, size=2)
        return reward, False

    def observation(self):
        return self.target.astype(np.float32)


class Breaking(Matching):
    """Breaks at the seventh step of an episode."""

    def act(self, action):
        if self.time_step == 6:
            raise LookupError("no seventh step")
        return super().act(action)


class Endless(Counting):
    """Real numbers without bounds, so that no list of states can be made; breaks late."""

    def act(self, action):
        self.place += float(self.np_random.normal())
        if self.time_step == 300:
            raise LookupError("no such step")
        return 0.0, False

    def begin(self):
        self.place = 0.0
