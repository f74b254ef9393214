# SPDX-License-Identifier: Apache-2.0
"""Input is read without waiting, with select() and, as on Windows, without it."""

from __future__ import annotations

import os
import select
import threading
import time
from collections.abc import Iterator

import pytest

from kws import typed_input
from kws.typed_input import TypedInput


@pytest.fixture(params=[True, False])
def pipe(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    monkeypatch.setattr(typed_input, "CAN_SELECT", request.param)
    if not request.param:
        monkeypatch.delattr(select, "select")
    ends = [*os.pipe()]
    yield ends
    for end in ends:
        os.close(end)


def arriving(typed: TypedInput) -> bytes:
    """The next input; a thread may need a moment."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if data := typed.read():
            return data
        time.sleep(0.01)
    return b""


def test_input_arrives_and_may_end(pipe: list[int]) -> None:
    typed = TypedInput(pipe[0])
    assert typed.read() == b""
    os.write(pipe[1], b"gain 3\n")
    assert arriving(typed) == b"gain 3\n"
    os.write(pipe[1], b"q")
    assert arriving(typed) == b"q"
    os.close(pipe.pop())
    for _ in range(20):
        assert typed.read() == b""
        time.sleep(0.01)
    assert "_follow" not in [thread.name for thread in threading.enumerate()]


def test_no_input_is_empty() -> None:
    assert TypedInput(None).read() == b""
