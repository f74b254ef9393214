# SPDX-License-Identifier: Apache-2.0
"""Bundles share cached objects, and the firmware is byte-identical to a full build."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.bundle.reading import load_bundle
from kws.host.build import firmware_cache, programs
from kws.host.build.boards import firmware_folder
from kws.host.build.compiled_core import INDEX, is_whole, link_bundle
from kws.host.build.firmware import build, generated
from kws.host.build.firmware_cache import build_key
from kws.host.build.platformio_run import BINARY, ELF, HEX, MAP, run_platformio
from kws.host.build.ring import HEADER as RING_HEADER
from kws.host.build.ring import ring_header
from kws.host.measure.footprint import read_footprint

BOARD = "qemu"


def _folders(place: Path) -> tuple[Path, Path]:
    work, result = place / "work", place / "result"
    work.mkdir(parents=True)
    result.mkdir()
    return work, result


@pytest.fixture(scope="module")
def other() -> Bundle:
    """A bundle with different ops than the built-in one, and the same files."""
    return load_bundle(default_bundle_path().with_name("tiny")).without_second_look()


@pytest.fixture(scope="module")
def core(board_tools: None, yes_no: Bundle) -> Path:
    """The core that a build of the built-in bundle caches."""
    build(BOARD, Device(yes_no))
    key = firmware_cache._core_key(BOARD, yes_no.firmware)
    return programs.cache_folder() / "cores" / f"{BOARD}-{key}"


def test_another_bundles_firmware_equals_a_full_build(
    core: Path, other: Bundle, tmp_path: Path
) -> None:
    whole_work, whole = _folders(tmp_path / "whole")
    linked_work, linked = _folders(tmp_path / "linked")
    with generated(Device(other), {RING_HEADER: ring_header(5)}) as sources:
        run_platformio(BOARD, sources, whole_work, whole)
        link_bundle(BOARD, sources, core, linked_work, linked)
    for name in (ELF, BINARY, HEX):
        assert (linked / name).read_bytes() == (whole / name).read_bytes(), name
    assert read_footprint(linked / MAP) == read_footprint(whole / MAP)
    assert is_whole(core), "ready for the next bundle"


def test_only_files_that_depend_on_the_bundle_are_compiled_again(core: Path) -> None:
    commands = json.loads((core / INDEX).read_text())["commands"]
    compiled = {Path(command[-1]).name for command in commands if "-c" in command}
    assert compiled == {"model_data.cc", "main.cc", "audio_ring.cc"}
    assert len(list(core.rglob("*.o"))) > 60


def test_a_damaged_core_is_not_used(
    core: Path, yes_no: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KWS_CACHE_DIR", str(tmp_path))
    key = firmware_cache._core_key(BOARD, yes_no.firmware)
    kept = Path(shutil.copytree(core, tmp_path / "cores" / f"{BOARD}-{key}"))

    class WholeBuildError(Exception):
        pass

    def whole_build(*_: object) -> None:
        raise WholeBuildError

    monkeypatch.setattr(firmware_cache, "run_platformio", whole_build)
    build(BOARD, Device(yes_no))  # from the cached core
    shutil.rmtree(tmp_path / "firmware")
    objects = sorted(kept.rglob("*.o"))
    objects[0].write_bytes(objects[0].read_bytes()[:-1])  # as after a power failure
    assert not is_whole(kept)
    with pytest.raises(WholeBuildError):
        build(BOARD, Device(yes_no))
    objects[0].unlink()
    assert not is_whole(kept)
    (kept / INDEX).write_text("{")
    assert not is_whole(kept)
    assert not is_whole(tmp_path / "nothing")


@pytest.mark.parametrize("file", ["src/boards/nrf52840/tables/nano33ble.h", "platformio.ini"])
def test_editing_any_source_changes_the_cores_key(
    file: str, yes_no: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Including a header that is only included through a macro."""
    sources = tmp_path / "sources"
    shutil.copytree(firmware_folder(), sources)
    monkeypatch.setattr(firmware_cache, "firmware_folder", lambda: sources)
    core_key = firmware_cache._core_key("nano33ble", yes_no.firmware)
    key = build_key("nano33ble", yes_no.firmware)
    with (sources / file).open("a") as text:
        text.write("\n")
    assert firmware_cache._core_key("nano33ble", yes_no.firmware) != core_key
    assert build_key("nano33ble", yes_no.firmware) != key


def test_options_and_kinds_of_bundles_have_separate_cores(
    yes_no: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = tmp_path / "compiled"
    compiled.mkdir()
    (compiled / "compiled_model.cc").touch()
    keys = {firmware_cache._core_key("sparkfun_edge", each) for each in (yes_no.firmware, compiled)}
    monkeypatch.setenv("KWS_OPTIONS", "96mhz")
    keys.add(firmware_cache._core_key("sparkfun_edge", yes_no.firmware))
    keys.add(firmware_cache._core_key("nano33ble", yes_no.firmware))
    assert len(keys) == 4
