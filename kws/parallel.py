# SPDX-License-Identifier: Apache-2.0
"""Runs work on all cores, in threads: NumPy, decoders and the core release Python's lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def on_all_cores(work: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """Call `work` for each item; yields the results in the order of the items.

    If a call fails or the caller stops (also by Ctrl-C), the calls that wait are cancelled.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(work, items)
