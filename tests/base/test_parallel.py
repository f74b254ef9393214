# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import threading

import pytest

from kws.parallel import on_all_cores


def test_results_have_the_order_of_the_items() -> None:
    first_may_end = threading.Event()

    def work(number: int) -> int:
        if number == 0:
            assert os.cpu_count() == 1 or first_may_end.wait(10)
        first_may_end.set()
        return 2 * number

    assert list(on_all_cores(work, range(50))) == list(range(0, 100, 2))


def test_waiting_calls_are_cancelled_if_the_caller_stops() -> None:
    called: list[int] = []
    released = threading.Event()

    def work(number: int) -> None:
        called.append(number)
        if number:
            released.wait(10)

    def stop() -> None:
        for _ in on_all_cores(work, range(1000)):
            threading.Timer(0.1, released.set).start()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stop()
    assert len(called) <= 2 * (os.cpu_count() or 1) + 1
