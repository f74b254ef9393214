# SPDX-License-Identifier: Apache-2.0
"""Programs to write to simulated boards, and what is said when that fails."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

import pytest

from kws.errors import BoardError


def program_at(origin: int, size: int, stack: int) -> bytes:
    """A program's bytes: a vector table for flash at `origin`, then what the size gives as a seed.

    Args:
        origin: where flash for programs begins.
        size: bytes.
        stack: the end of RAM.
    """
    head = struct.pack("<II", stack, origin + 0x101)
    return head + random.Random(size).randbytes(size - len(head))


def refused(deploy: Callable[[], object]) -> str:
    """The message of a deployment that has to fail: one line."""
    with pytest.raises(BoardError) as caught:
        deploy()
    text = str(caught.value)
    assert "\n" not in text
    assert text.isprintable()
    return text
