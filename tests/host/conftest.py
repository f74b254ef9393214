# SPDX-License-Identifier: Apache-2.0
"""Fixtures for tests with devices: the built-in model, and a machine without tools."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.convert.tflite_import import convert_file

LABELS = ("silence", "unknown", "yes", "no")


@pytest.fixture(scope="session")
def yes_no(tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    """The built-in model with the default settings of `kws convert`."""
    out = tmp_path_factory.mktemp("bundles") / "yes_no"
    return convert_file(default_bundle_path() / "model.tflite", LABELS, out)


@pytest.fixture
def no_hanging() -> Iterator[None]:
    """Fail after 60 s, since a monitor runs until it is interrupted."""

    def give_up(*_: object) -> None:
        raise TimeoutError("the test did not end")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def no_tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without compiler, emulator or network."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("KWS_CACHE_DIR", str(tmp_path / "cache"))
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # the discard port is closed
