# SPDX-License-Identifier: Apache-2.0
"""Shows the step of `kws wake` and the remaining time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence


class Steps:
    """Counts steps, and estimates the remaining time from the finished ones.

    Only the proportions of the costs matter: the time of finished steps shows the machine's speed.
    Steps that were finished in an earlier run are ignored.
    """

    def __init__(self, costs: Sequence[float], say: Callable[[str], object]) -> None:
        """Start before the first step.

        Args:
            costs: cost of each step in order, in seconds on a typical machine.
            say: called with a line for each step.
        """
        self._costs = list(costs)
        self._say = say
        self._number = 0
        self._since = 0.0
        self._spent = self._done = 0.0  # seconds, and the cost of the steps that took them

    def begin(self, title: str) -> None:
        """End the previous step and begin the next one."""
        self._end(counts=True)
        self._start(f"{title}; {self._left_text(sum(self._costs[self._number :]))} in all")

    def skip(self, title: str, count: int = 1) -> None:
        """Skip some steps."""
        self._end(counts=True)
        for _ in range(count):
            self._start(title)
            self._end(counts=False)

    def remaining(self, share: float) -> str:
        """The remaining time of this step and all later ones, as text.

        Args:
            share: finished share of this step, 0 to 1.
        """
        costs = self._costs[self._number - 1 :]
        elapsed = time.monotonic() - self._since
        done = self._done + share * costs[0]
        cost = sum(costs) - share * costs[0]
        return self._text(cost * (self._spent + elapsed) / done) if done else ""

    def _start(self, title: str) -> None:
        self._number += 1
        self._since = time.monotonic()
        self._say(f"step {self._number} of {len(self._costs)}: {title}")

    def _end(self, *, counts: bool) -> None:
        if counts and self._since:
            self._spent += time.monotonic() - self._since
            self._done += self._costs[self._number - 1]
        self._since = 0.0

    def _left_text(self, cost: float) -> str:
        return self._text(cost * (self._spent / self._done if self._done else 1.0))

    @staticmethod
    def _text(seconds: float) -> str:
        return f"about {max(round(seconds / 60), 1)} min left"
