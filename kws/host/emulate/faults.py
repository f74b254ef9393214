# SPDX-License-Identifier: Apache-2.0
"""Injects faults into firmware and checks that it reports them."""

from __future__ import annotations

import re
import shutil
import struct
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from kws._core import FAULT_LINES, SAMPLE_RATE
from kws.audio.background_noises import quiet_room
from kws.bundle.device import Device
from kws.host.build.elf_sections import content_of
from kws.host.build.firmware import build, build_sources, generated
from kws.host.build.ring import DEFAULT_HOPS
from kws.host.emulate.emulators import Emulator, emulator
from kws.host.emulate.processes import PARALLEL
from kws.host.emulate.qemu import Qemu
from kws.host.serial.lines import LINE_SAMPLES, Samples, Serial, Stats, line_pattern, parse_line
from kws.host.serial.ports import BAUD, FAST_BAUD


@dataclass(frozen=True)
class FaultRow:
    """A fault and the board's report of it."""

    name: str
    expected: str
    """Regular expression that one of the board's lines must match."""
    said: str
    """The matching line, or the board's last one."""
    ok: bool


@dataclass(frozen=True)
class _Try:
    """A run of the firmware, and regular expressions for its lines, by the name of the check."""

    play: Callable[[], Serial]
    says: dict[str, str]
    sends: bool = False
    """The run types `pcm`: all samples must arrive undamaged."""
    timed: bool = False
    """The run types `stats` at both `_STATS_AT`: the hops in between must match the time."""


_STATS_AT = (1.0, 9.0)  # seconds of the board's time
_HOP_SECONDS = 0.02
_SENT_SECONDS = 1

TRIES = 5
"""Maximum number of calls of `progress` by `check_faults`."""


def check_faults(
    board: str,
    device: Device,
    progress: Callable[[int], None] = lambda _: None,
    ring_hops: int = DEFAULT_HOPS,
) -> list[FaultRow]:
    """Run `device` with each fault, type commands, and check the output.

    Args:
        board: an emulated board.
        device: the firmware's bundles.
        progress: called with 1 after each run.
        ring_hops: see `build`.

    Raises:
        BoardError: the emulator failed.
        ToolError: compiler or emulator are missing or failed.
    """

    def run(one: _Try) -> list[FaultRow]:
        serial = one.play()
        progress(1)
        rows = [_row(name, expected, serial) for name, expected in one.says.items()]
        rows += [samples_row(serial)] if one.sends else []
        return rows + ([hops_row(serial)] if one.timed else [])

    with (
        tempfile.TemporaryDirectory(prefix="kws-faults-") as folder,
        ThreadPoolExecutor(PARALLEL) as pool,
        emulator(board) as emulated,
    ):
        elf = build(board, device, ring_hops=ring_hops).elf
        tries = _tries(board, device, elf, emulated, Path(folder))
        return [row for rows in pool.map(run, tries) for row in rows]


def _tries(
    board: str, device: Device, elf: Path, emulated: Emulator, folder: Path
) -> Iterator[_Try]:
    pcm = quiet_room(2 * SAMPLE_RATE)

    if not device.compiled:  # a compiled device has no model file
        damaged = _with_model(elf, folder / "damaged.elf", device.bundle.model[:8] + b"\xff" * 4096)
        says = re.escape(FAULT_LINES["bad_model"])
        yield _Try(lambda: emulated.play(damaged, pcm), {"a damaged model": says})

        version = _with_model(
            elf, folder / "version.elf", with_schema_version(device.bundle.model, 4)
        )
        says = re.escape(FAULT_LINES["wrong_schema_version"])
        yield _Try(lambda: emulated.play(version, pcm), {"a model of schema version 4": says})

    size = device.bundle.own_arena_bytes - 1
    small = _with_arena(board, device, folder, size)
    says = re.escape(FAULT_LINES["arena_too_small"]) + f".* {size} bytes"
    yield _Try(lambda: emulated.play(small, pcm), {"an arena one byte too small": says})

    typed = ("threshold 180", "stats")
    sends = f"pcm {_SENT_SECONDS}"
    stats = line_pattern("stats", {1: "0", 7: str(device.arena_bytes)})
    sent = line_pattern("pcm_end", {0: str(_SENT_SECONDS * SAMPLE_RATE), 1: "0"})
    answers = {
        "`threshold 180` typed": "threshold 180",
        "`stats` typed": stats,
        f"`{sends}` typed": sent,
    }
    if not isinstance(emulated, Qemu):
        in_real_time = emulated
        begin, end = _STATS_AT
        timed = [*((begin, line) for line in typed), (end, "stats"), (end + 0.3, sends)]
        # The adapter follows the board's rate: fast while samples are sent.
        rates = [(end + 0.4, FAST_BAUD), (end + 0.7 + _SENT_SECONDS, BAUD)]
        long = quiet_room(round((end + 1 + _SENT_SECONDS) * SAMPLE_RATE))
        play = partial(in_real_time.play, elf, long, timed, rates=rates)
        yield _Try(play, answers, sends=True, timed=True)
        says = re.escape(FAULT_LINES["no_samples"])
        yield _Try(lambda: in_real_time.play(elf, None, seconds=2), {"a dead microphone": says})
    else:
        qemu = emulated
        text = "".join(f"{line}\n" for line in (*typed, sends))
        yield _Try(lambda: qemu.play(elf, pcm, text), answers, sends=True)


def _row(name: str, expected: str, serial: Serial) -> FaultRow:
    lines = serial.text.splitlines()
    match = next((line for line in lines if re.fullmatch(expected, line)), None)
    said = match if match is not None else (lines[-1] if lines else "")
    if serial.flaws:
        said = f"{said}; {serial.flaws[0]}"
    return FaultRow(name, expected, said, match is not None and not serial.flaws)


def hops_row(serial: Serial) -> FaultRow:
    """Whether the number of hops matches the time, so the microphone's rate is correct."""
    begin, end = _STATS_AT
    expected = round((end - begin) / _HOP_SECONDS)
    stats = [s for line in serial.text.splitlines() if isinstance(s := parse_line(line), Stats)]
    hops = stats[-1].hops - stats[0].hops if len(stats) > 1 else 0
    name = f"hops in {end - begin:g} s"
    return FaultRow(name, str(expected), str(hops), abs(hops - expected) <= 1)


def samples_row(serial: Serial) -> FaultRow:
    """Whether all requested samples arrived, with consecutive line numbers."""
    wanted = list(range(_SENT_SECONDS * SAMPLE_RATE // LINE_SAMPLES))
    lines = [s for line in serial.text.split("\n") if isinstance(s := parse_line(line), Samples)]
    came = LINE_SAMPLES * len(lines)
    ok = [line.number for line in lines] == wanted
    return FaultRow("samples sent", str(_SENT_SECONDS * SAMPLE_RATE), str(came), ok)


def _with_model(elf: Path, changed: Path, model: bytes) -> Path:
    """A copy of the firmware with `model` written over the start of its model."""
    place = content_of(elf, "g_model")
    content = bytearray(elf.read_bytes())
    end = min(place.stop, place.start + len(model))
    content[place.start : end] = model[: end - place.start]
    changed.write_bytes(content)
    return changed


def with_schema_version(model: bytes, version: int) -> bytes:
    """A copy of a .tflite with another schema version, the first field of its root table."""
    (root,) = struct.unpack_from("<I", model)
    (back,) = struct.unpack_from("<i", model, root)
    (field,) = struct.unpack_from("<H", model, root - back + 4)
    changed = bytearray(model)
    struct.pack_into("<I", changed, root + field, version)
    return bytes(changed)


def _with_arena(board: str, device: Device, folder: Path, size: int) -> Path:
    """The firmware with another arena size, without second bundle and second look."""
    sources = folder / "firmware"
    with generated(Device(device.bundle.without_second_look())) as place:
        shutil.copytree(place, sources)
    settings = sources / "model_settings.h"
    text = settings.read_text(encoding="utf-8")
    old = f"kArenaBytes = {device.bundle.own_arena_bytes};"
    settings.write_text(text.replace(old, f"kArenaBytes = {size};"), encoding="utf-8")
    return build_sources(board, sources).elf
