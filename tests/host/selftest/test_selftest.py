"""The self-test finds a board's faults. The board and the clock are simulated."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import pytest

from kws.host.deploy.board_finder import BoardFinder
from kws.host.selftest.measuring import Measured, SilentBoardError, measure
from kws.host.selftest.verdicts import Check, checks, silent_checks
from kws.host.serial.lines import Level
from kws.host.serial.ports import Port
from tests.command_line import Run

CORE_HZ = 64_000_000

BOOT = b"kws 0.1.0 on nano33ble, model yes_no 1a2b3c4d, arena 5824 of 5824 bytes\n"


@dataclass
class Board:
    """A simulated Nano: its firmware, and a clock that advances while its port is read."""

    samples: float = 16000.0
    """Samples per second."""
    core_khz: int = 64000
    clock: float = 1.0
    """Seconds of board time per second."""
    line: int = 115200
    voice_db: float = -33.0
    room_db: float = -70.0
    clipped: float = 0.0
    reset: str = "power"
    lost: int = 0
    idle: float = 61.0
    stack: int = 1900
    inference: int = 1_203_455
    gain: int = 0
    mute_from: float = 1e9
    says: str = ""
    starts_at: float = 1e9
    """Time of an unexpected restart. There is a boot line at the start in any case."""
    noise: str = ""
    """Text inserted into each answer to `level`."""
    device: str = "/dev/ttyTEST0"

    def __post_init__(self) -> None:
        self.now = 1000.0
        self.rate = 115200
        self.speaks = False
        self.waiting = BOOT

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float, /) -> None:
        self.now += seconds

    def prompt(self, text: str) -> None:
        self.speaks = "speak" in text

    def set_rate(self, rate: int) -> bool:
        self.rate = rate
        return True

    def write(self, data: bytes) -> None:
        if self.rate != self.line or self.now - 1000 > self.mute_from:
            return
        time = self.now - 1000
        for command in data.decode().split():
            if self.says:
                self.waiting += f"error: {self.says}\n".encode()
            elif command == "stats":
                hops = int(time * self.samples / 320)
                text = f"{hops} hops, {int(self.lost * time)} samples lost, {self.idle} % idle, "
                text += "1 k cycles per second, 0 of 1 inferences skipped, "
                text += f"arena 1 bytes, stack {self.stack} of 8192 bytes"
                self.waiting += f"stats: {text}\n".encode()
            elif command == "gain":
                self.waiting += f"gain {self.gain} dB\n".encode()
            elif command == "level":
                rms = self.level(self.voice_db - 12 if self.speaks else self.room_db)
                peak = self.level(self.voice_db if self.speaks else self.room_db + 12)
                text = f"peak {peak}, RMS {rms}, offset 0, {self.clipped:.1f} % clip{self.noise}ped"
                self.waiting += f"level: {text}\n".encode()
            elif command == "health":
                text = f"up {int(time * self.clock * 1000)} ms, {self.core_khz} kHz, hop 31012, "
                text += f"inference {self.inference} cycles, reset {self.reset}"
                self.waiting += f"health: nano33ble {text}\n".encode()

    def read(self, timeout: float) -> bytes:
        self.now += timeout
        if self.now - 1000 > self.starts_at:
            self.waiting += BOOT
            self.starts_at = 1e9
        data, self.waiting = self.waiting, b""
        return data

    def level(self, decibels: float) -> int:
        return round(32768 * 10 ** (decibels / 20)) if decibels > -200 else 0


def measured(board: Board) -> Measured:
    return measure(board, board.prompt, board)  # type: ignore[arg-type]


def failures(board: Board) -> dict[str, Check]:
    return {check.name: check for check in checks(measured(board), CORE_HZ) if not check.ok}


def test_a_good_board_passes() -> None:
    board = Board()
    result = measured(board)
    assert result.board == "nano33ble"
    assert 8 <= result.seconds < 10
    assert abs(result.hops / result.seconds - 50) < 0.3
    assert result.quiet.rms == board.level(-70)
    rows = checks(result, CORE_HZ)
    assert len(rows) == 16
    assert [row.name for row in rows if not row.ok] == []


def test_the_expected_level_includes_the_gain() -> None:
    assert not failures(Board(gain=20, voice_db=-13, room_db=-50))
    assert set(failures(Board(gain=20))) == {"voice level"}


def test_the_nanos_default_gain_allows_softer_and_louder_voices() -> None:
    softest = Board(gain=-10, voice_db=-54, room_db=-90)  # the room's noise is below the last bit
    assert not failures(softest)
    assert set(failures(replace(softest, voice_db=-56))) == {"voice level"}
    assert not failures(Board(gain=-10, voice_db=-26, room_db=-49))
    assert set(failures(Board(gain=-10, voice_db=-24, room_db=-49))) == {"voice level"}
    assert set(failures(Board(gain=-10, voice_db=-26, room_db=-44))) == {
        "level in quiet",
        "voice above quiet",
    }


@pytest.mark.parametrize(
    ("board", "names", "cure"),
    [
        (Board(voice_db=-53, room_db=-90), {"voice level"}, "about 20 dB too low"),
        (Board(voice_db=-13, room_db=-60), {"voice level"}, "about 20 dB too high"),
        (Board(samples=20000), {"samples"}, "too high or too low"),
        (Board(samples=15385), {"samples"}, "kws deploy"),
        (Board(voice_db=-999, room_db=-999), {"microphone"}, "the microphone is dead"),
        (Board(core_khz=32000), {"core clock"}, "the core is slow"),
        # 50.0 MHz instead of 48.
        (Board(core_khz=66667), {"core clock"}, "the core is fast"),
        (Board(core_khz=61500), {"core clock"}, "the core is slow"),
        (Board(starts_at=9.0), {"restarts"}, "the board restarts by itself"),
        # All clocks of the chip are halved, so it measures its core at 48000 kHz.
        (
            Board(line=57600, clock=0.5, samples=8000),
            {"serial line", "core clock", "samples"},
            "does not run at the clock that the firmware sets",
        ),
        (Board(voice_db=-70), {"voice level", "voice above quiet"}, "the microphone is defective"),
        (
            Board(room_db=-20, voice_db=-2),
            {"level in quiet", "voice above quiet", "voice level"},
            "too high",
        ),
        (Board(clipped=5.0), {"clipped"}, "lower the gain"),
        (Board(reset="watchdog"), {"last reset"}, "hung"),
        (Board(lost=5), {"samples lost"}, "raise inference_stride"),
        (Board(idle=2.0), {"idle"}, "smaller model"),
        (Board(stack=8000), {"stack"}, "report it"),
        (Board(inference=25_000_000), {"cycles of an inference"}, "inference_stride"),
    ],
)
def test_each_fault_is_found_with_its_remedy(board: Board, names: set[str], cure: str) -> None:
    failed = failures(board)
    assert set(failed) == names
    assert any(cure in check.cure for check in failed.values())


def test_a_damaged_line_is_reported() -> None:
    class Noisy(Board):
        """Damages one answer."""

        def write(self, data: bytes) -> None:
            super().write(data)
            if b"level" in data:
                self.noise = ""

    failed = failures(Noisy(noise="\0"))
    assert set(failed) == {"lines"}
    assert failed["lines"].measured.startswith("1 damaged, such as level: ")


def test_no_samples_and_no_answer_are_different_failures() -> None:
    dead = Board(says="no samples from the microphone; check its wiring; the board resets")
    with pytest.raises(SilentBoardError) as error:
        measured(dead)
    (row,) = silent_checks(error.value)
    assert (row.name, row.ok) == ("microphone", False)
    assert "wiring and power" in row.cure
    with pytest.raises(SilentBoardError, match="does not answer") as error:
        measured(Board(line=9600))
    (row,) = silent_checks(error.value)
    assert (row.name, row.measured) == ("serial line", "no answer")
    with pytest.raises(SilentBoardError, match="stopped answering"):
        measured(Board(mute_from=8.0))


def test_levels_are_in_decibels_of_full_scale() -> None:
    result = replace(measured(Board()), sound=Level(32768, 3277, 0, 0.0))
    row = next(row for row in checks(result, CORE_HZ) if row.name == "voice level")
    assert row.measured.startswith("-20.0 dB RMS, peak 0.0 dB")


def test_the_command_prints_a_table_and_fails(kws: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Link(Board):
        def __enter__(self) -> Link:
            return self

        def __exit__(self, *_: object) -> None:
            pass

    def first(board: Link) -> None:
        monkeypatch.setattr(BoardFinder, "first", lambda _: (Port(board.device), board))
        real = measure
        monkeypatch.setattr(
            "kws.host.selftest.measuring.measure", lambda link, _: real(link, board.prompt, board)
        )

    first(Link())
    code, out, _ = kws("selftest", "--port", "/dev/ttyTEST0", "--json")
    assert code == 0
    assert json.loads(out)["passed"]
    monkeypatch.undo()
    first(Link(samples=20000))
    code, out, _ = kws("selftest", "--port", "/dev/ttyTEST0")
    assert code == 1
    assert "FAIL" in out
    assert "20" in out
