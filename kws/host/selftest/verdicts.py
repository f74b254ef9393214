# SPDX-License-Identifier: Apache-2.0
"""Compares a board's figures with the expected ones, with advice for the user."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kws._core import SAMPLE_RATE
from kws.features.frontend_settings import HOP
from kws.host.measure.real_time import LONGEST_MS
from kws.host.selftest.measuring import Measured, SilentBoardError
from kws.host.serial.lines import Level
from kws.host.serial.ports import BAUD

RATE_PERCENT = 1.5
"""Tolerance of the microphone's sample rate. One hop is 0.25 % of the measurement."""

CORE_PERCENT = 2.0
"""Tolerance of the core's clock. ST's oscillator HSI16 is within 1 % (its data sheet), a crystal
within 0.01 %; the clock is measured by two answers 8 s apart, each within 0.05 s."""

VOICE_PEAK_DB = -33.0
"""Peaks of a voice at 30 cm, in dBFS at a gain of 0 dB: 75 dB SPL and 12 dB for peaks, with a
microphone whose output is -26 dBFS at 94 dB SPL (ST, datasheet of the MP34DT05)."""

SOFTER_DB = 12.0
"""Accepted below VOICE_PEAK_DB; a gain that is 20 dB too low still fails."""

LOUDER_DB = 18.0
"""Accepted above VOICE_PEAK_DB: a voice at 4 cm."""

QUIET_DB = -35.0
"""Maximum RMS without speech, in dBFS, at a gain of 0 dB."""

ABOVE_QUIET_DB = 10.0
"""Minimum rise of the RMS by a voice, in dB."""

_WRITE_AGAIN = "deploy the firmware again (kws deploy); if that does not help, the board is faulty"
_SICK = {"watchdog": "the firmware hung: report it with the model", "lockup": "report it",
         "brownout": "the supply is too weak: use another cable or USB socket"}  # fmt: skip


@dataclass(frozen=True)
class Check:
    """A row of the table."""

    name: str
    measured: str
    expected: str
    ok: bool
    cure: str
    """Advice if it is not ok."""


def decibels(value: float) -> float:
    """A sample value in dBFS."""
    return 20 * math.log10(max(value, 1.0) / 32768)


def checks(measured: Measured, core_hz: int) -> list[Check]:
    """A check for each figure.

    Args:
        measured: the board's figures.
        core_hz: nominal clock of its core.
    """
    return [
        _line(measured),
        _damage(measured),
        _starts(measured),
        _reset(measured),
        _core(measured, core_hz),
        _rate(measured),
        *_microphone(measured),
        *_load(measured),
    ]


def silent_checks(error: SilentBoardError) -> list[Check]:
    """The checks of a board without figures."""
    dead = [fault for fault in error.faults if "microphone" in fault]
    if dead:
        cure = (
            "check the microphone's wiring and power, then press reset; if that does not help, "
            "the microphone is defective"
        )
        return [Check("microphone", "no samples", "samples", False, cure)]
    cure = (
        "check that this is the board's port, that RX and TX are crossed, and that it has this "
        "version's firmware (kws deploy)"
    )
    said = f"errors: {error.faults[-1]}" if error.faults else "no answer"
    return [Check("serial line", said, "an answer to stats", False, cure)]


def _line(measured: Measured) -> Check:
    cure = "the chip does not run at the clock that the firmware sets: " + _WRITE_AGAIN
    rate = measured.line_rate
    return Check("serial line", f"{rate} bit/s", f"{BAUD} bit/s", rate == BAUD, cure)


def _damage(measured: Measured) -> Check:
    lines = measured.damaged
    said = f"{len(lines)} damaged, such as {lines[0][:60]}" if lines else "all are text"
    cure = (
        "check the cable and its plugs; if that does not help, report it: the firmware sends "
        "wrong bytes"
    )
    return Check("lines", said, "all are text", not lines, cure)


def _starts(measured: Measured) -> Check:
    count = measured.starts
    cure = (
        "the board restarts by itself: use another cable or USB socket; if that does not help, "
        "report it"
    )
    return Check("restarts", str(count), "0", count == 0, cure)


def _reset(measured: Measured) -> Check:
    cure = _SICK.get(measured.reset, "")
    return Check("last reset", measured.reset, "power, pin or software", not cure, cure)


def _core(measured: Measured, core_hz: int) -> Check:
    mhz = measured.core_khz / 1000 * measured.board_seconds / measured.seconds
    wanted = core_hz / 1e6
    ok = abs(mhz / wanted - 1) <= CORE_PERCENT / 100
    cure = f"the core is {'slow' if mhz < wanted else 'fast'}: " + _WRITE_AGAIN
    expected = f"{wanted:.0f} MHz within {CORE_PERCENT:g} %"
    return Check("core clock", f"{mhz:.1f} MHz", expected, ok, cure)


def _rate(measured: Measured) -> Check:
    rate = measured.hops * HOP / measured.seconds
    ok = abs(rate / SAMPLE_RATE - 1) <= RATE_PERCENT / 100
    cure = "the microphone's clock is wrong, so words sound too high or too low: " + _WRITE_AGAIN
    expected = f"{SAMPLE_RATE} per s within {RATE_PERCENT:g} %"
    return Check("samples", f"{rate:.0f} per s", expected, ok, cure)


def _microphone(measured: Measured) -> list[Check]:
    quiet, sound = measured.quiet, measured.sound
    dead = sound.peak == 0 or (sound.rms == 0 and quiet.rms == 0)
    alive = Check(
        "microphone",
        "always 0" if dead else "gives sound",
        "gives sound",
        not dead,
        "the microphone is dead: check its wiring and power; if it is soldered to the board, "
        "write the firmware for exactly this board revision with kws deploy",
    )
    if dead:
        return [alive]
    loudest = QUIET_DB + measured.gain
    rise = decibels(sound.rms) - decibels(quiet.rms)
    usual = VOICE_PEAK_DB + measured.gain
    softest, loudest_voice = usual - SOFTER_DB, usual + LOUDER_DB
    peak = decibels(sound.peak)
    wrong = f"about {abs(usual - peak):.0f} dB too {'low' if peak < usual else 'high'}"
    try_again = "speak louder" if peak < usual else "speak more softly or farther away"
    return [
        alive,
        Check(
            "level in quiet",
            _level(quiet),
            f"at most {loudest:.0f} dB RMS",
            decibels(quiet.rms) <= loudest,
            "find a quieter place and try again; if that does not help, lower the gain with gain N "
            "in kws monitor",
        ),
        Check(
            "voice above quiet",
            f"{rise:.1f} dB",
            f"at least {ABOVE_QUIET_DB:.0f} dB",
            rise >= ABOVE_QUIET_DB,
            "speak louder or nearer and try again; if that does not help, the microphone is "
            "defective",
        ),
        Check(
            "voice level",
            f"{_level(sound)}, gain {measured.gain} dB",
            f"peak of {softest:.0f} to {loudest_voice:.0f} dB",
            softest <= peak <= loudest_voice,
            f"{try_again} and try again; if that does not help, the gain is {wrong}: "
            "change it with gain N in kws monitor, or write the firmware again with kws deploy",
        ),
        Check(
            "clipped",
            f"{sound.clipped_percent:.1f} %",
            "less than 1 %",
            sound.clipped_percent < 1,
            "lower the gain with gain N in kws monitor",
        ),
    ]


def _level(level: Level) -> str:
    return f"{decibels(level.rms):.1f} dB RMS, peak {decibels(level.peak):.1f} dB"


def _load(measured: Measured) -> list[Check]:
    slower = "the model is too slow: raise inference_stride, or use a smaller model"
    ms = 1.0 / max(measured.core_khz, 1)
    used, size = measured.stack_used, measured.stack_size
    return [
        Check(
            "cycles of a hop",
            f"{measured.hop_cycles:,} ({measured.hop_cycles * ms:.1f} ms)",
            "at most 20 ms",
            measured.hop_cycles * ms <= 20,
            slower,
        ),
        Check(
            "cycles of an inference",
            f"{measured.inference_cycles:,} ({measured.inference_cycles * ms:.1f} ms)",
            f"at most {LONGEST_MS} ms",
            measured.inference_cycles * ms <= LONGEST_MS,
            slower,
        ),
        Check(
            "idle",
            f"{measured.idle_percent:.1f} %",
            "at least 5 %",
            measured.idle_percent >= 5,
            slower,
        ),
        Check("samples lost", str(measured.samples_lost), "0", measured.samples_lost == 0, slower),
        Check(
            "stack",
            f"{used} of {size} bytes",
            "at most 80 %",
            used <= 0.8 * size,
            "report it: the firmware's stack is too small for this model",
        ),
    ]
