"""Builds a board's firmware with a driver fault and plays sound to it in Renode."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kws.audio.pcm import Pcm
from kws.bundle.bundle import Bundle
from kws.host.build.boards import find_board, firmware_folder
from kws.host.build.platformio_run import ELF, NO_SOURCES, process_environment
from kws.host.emulate.renode import find_renode, microphone, scripts
from kws.host.serial.ports import BAUD, FAST_BAUD

HERE = Path(__file__).parent

LEDS = {
    "nano33ble": ("gpio0.led_red", "gpio0.led_green", "gpio0.led_orange", "gpio1.led_power"),
    "xiao_nrf52840_sense": ("gpio0.led_red", "gpio0.led_green", "gpio0.led_blue"),
    "nrf52840_dk": ("gpio0.led_red", "gpio0.led_green", "gpio0.led_listening"),
    "sparkfun_edge": ("gpio.led_red", "gpio.led_green", "gpio.led_yellow", "gpio.led_blue"),
    "b_l475e_iot01a": (
        "gpio_a.led_listening",
        "gpio_b.led_green",
        "gpio_c.led_yellow",
        "gpio_c.led_blue",
    ),
}

_NRF52840 = (
    (0x40000578, ~0, 1),  # POWER.DCDCEN, which saves current
    (0x4001E504, ~0, 0),  # NVMC.CONFIG: flash is read-only
    (0x4001D51C, ~0, 0x14),  # PDM.GAINR: -10 dB, like GAINL
)
REGISTERS = {
    "nano33ble": _NRF52840,
    # P1.10: an output, S0H1; the pin supplies the microphone.
    "xiao_nrf52840_sense": (*_NRF52840, (0x50000A28, ~0, 0x203)),
    "nrf52840_dk": _NRF52840,
    "sparkfun_edge": ((0x50010280, 1 << 8, 1 << 8),),  # ADC.DMACFG.DMAPRI
    "b_l475e_iot01a": ((0x40020044, 3 << 12, 3 << 12),),  # DMA1.CCR4.PL
}
"""Registers whose faults would be visible only with a debugger or a meter: address, mask, and the
expected value of the masked bits after a detection."""

STANDS = {"sparkfun_edge"}
"""Boards whose DMA must be armed again within 0.1 ms of a block's end."""

_STAND_SECONDS = 0.018  # less than a block's 20 ms
_MARK = "----- plays"
_HANG = "0xE7FEE7FE"  # b . (Arm DDI 0403E, A7.7.12)
_COUNTED = re.compile(r"([\d.]+) % idle, \d+ k cycles|stack \d+")
_IDLE_POINTS = 5.0  # other faults change the idle share by less than 1
_HEALTH = re.compile(r"up (\d+) ms, (\d+) kHz, hop \d+, inference \d+ cycles")
_CLOCK_SHARE = 0.01
_AT_ONCE = 8  # plays per Renode process, which needs seconds to start

_SECONDS = {
    "sound": 2.4,
    "loud": 2.4,
    "hang": 8.0,
    "deaf": 3.0,
    "settings": 1.6,
    "pages": 5.0,
    "pcm": 2.6,
    "quiet": 6.0,
    "minute": 63.0,
}
_LOOKS = {
    "sound": 0.05,
    "loud": 0.4,
    "hang": 0.25,
    "deaf": 0.25,
    "settings": 1.6,
    "pages": 5.0,
    "pcm": 2.6,
    "quiet": 0.5,
    "minute": 63.0,
}

SAVES = {"settings": 2, "pages": 58}
"""Number of gains typed: 53 records fill a page of the SparkFun Edge; other boards need fewer."""


@dataclass(frozen=True)
class Mutant:
    """A fault that a driver could have."""

    board: str
    name: str
    edits: tuple[tuple[str, str, str], ...]
    """File (in the port's folder, or `app/...`), a text that occurs in it once, its replacement."""

    play: str = "sound"
    """sound: a word, then typed commands; loud: the same with a gain; hang: the main loop hangs;
    deaf: no samples arrive; settings: three settings are typed, then a reset; pages: the same
    with more settings than a page of flash holds; pcm: samples are sent while a setting is saved;
    quiet: 6 s, longer than most watchdog timeouts; minute: longer than slow watchdogs' timeouts."""

    survives: str = ""
    """Why no model detects the fault; empty: it must be detected."""


@dataclass(frozen=True)
class Trace:
    """The observable behaviour of a board."""

    text: str
    """The board's output, without cycles, idle shares and stack."""

    idle: tuple[float, ...]
    """Each idle share in the output, in percent."""

    clocks: tuple[int, ...]
    """Each uptime in ms and core clock in kHz in the output."""

    leds: tuple[str, ...]
    """The states of all LEDs (`+` or `-`), at regular intervals."""

    registers: tuple[int, ...]
    """The masked bits of REGISTERS at the end."""

    def is_like(self, other: Trace) -> bool:
        """Whether both are equal, except for small differences in idle share and clock."""
        seen = (self.text, self.leds, self.registers)
        if seen != (other.text, other.leds, other.registers):
            return False
        pairs = zip(self.idle, other.idle, strict=True)
        if any(abs(share - theirs) >= _IDLE_POINTS for share, theirs in pairs):
            return False
        clocks = zip(self.clocks, other.clocks, strict=True)
        return all(abs(clock - theirs) < _CLOCK_SHARE * theirs for clock, theirs in clocks)


def mutants(board: str) -> list[Mutant]:
    """The mutants in a board's table."""
    table = tomllib.loads((HERE / f"{board}.toml").read_text(encoding="utf-8"))
    return [
        Mutant(
            board,
            entry["name"],
            tuple(tuple(edit) for edit in entry["edits"]),
            entry.get("play", "sound"),
            entry.get("survives", ""),
        )
        for entry in table["mutant"]
    ]


def _port(board: str) -> Path:
    """The folder of a board's drivers and linker script, relative to the firmware's folder."""
    file = firmware_folder() / "platform" / "boards" / f"{board}.json"
    return Path(json.loads(file.read_text(encoding="utf-8"))["build"]["linker_script"]).parent


class Workshop:
    """A copy of the firmware's sources that is built repeatedly; only changed files are compiled.

    Args:
        board: the board whose drivers are changed.
        bundle: the firmware's bundle.
        folder: an empty folder.
    """

    def __init__(self, board: str, bundle: Bundle, folder: Path) -> None:
        self._board = board
        self._folder = folder
        self._project = folder / "project"
        ignore = shutil.ignore_patterns(*NO_SOURCES)
        shutil.copytree(firmware_folder(), self._project, ignore=ignore)
        self._drivers = self._project / _port(board)
        self._environment = process_environment(folder, bundle.firmware)
        self._compile: dict[Path, list[str]] = {}
        self._link: list[str] = []

    def count(self, file: str, text: str) -> int:
        """The number of occurrences of a text in a file of the port."""
        return self._place(file).read_text().count(text)

    def _place(self, file: str) -> Path:
        return (self._project / "src" if file.startswith("app/") else self._drivers) / file

    def build_all(self) -> Path:
        """Build the firmware without a fault. Call it before `build`."""
        command = [sys.executable, "-m", "platformio", "run", "-v", "-e", self._board]
        done = subprocess.run(
            [*command, "-d", str(self._project)],
            check=True,
            capture_output=True,
            text=True,
            env=self._environment,
        )
        for line in done.stdout.splitlines():
            words = shlex.split(line) if line.startswith("arm-none-eabi-g++ ") else []
            if "-c" in words:
                self._compile[self._project / words[-1]] = words
            elif words:
                self._link = words
        return self._keep("none")

    def build(self, mutant: Mutant) -> Path:
        """Build the firmware with a fault."""
        before = {file: self._place(file).read_bytes() for file, _, _ in mutant.edits}
        commands = [self._compile[source] for source in self._changed(mutant)]
        objects = [self._project / command[command.index("-o") + 1] for command in commands]
        before_objects = [file.read_bytes() for file in objects]
        try:
            for file, old, new in mutant.edits:
                text = self._place(file).read_text()
                self._place(file).write_text(text.replace(old, new))
            for command in [*commands, self._link]:
                self._run(command)
            return self._keep(re.sub(r"\W+", "_", mutant.name))
        finally:
            for file, data in before.items():
                self._place(file).write_bytes(data)
            for place, data in zip(objects, before_objects, strict=True):
                place.write_bytes(data)

    def _changed(self, mutant: Mutant) -> set[Path]:
        """The sources to compile again; for a header, the files that use the changed constant."""
        sources = set()
        for file, old, _ in mutant.edits:
            if file.endswith(".cc"):
                sources.add(self._place(file))
                continue
            constant = old.partition(" ")[0]
            every = self._drivers.rglob("*.cc")
            sources |= {source for source in every if constant in source.read_text()}
        return sources

    def _run(self, command: list[str]) -> None:
        subprocess.run(command, check=True, cwd=self._project, stdout=subprocess.DEVNULL)

    def _keep(self, name: str) -> Path:
        elf = self._folder / f"{name}.elf"
        shutil.copyfile(self._folder / "build" / self._board / ELF, elf)
        return elf


def traces(board: str, plays: Sequence[tuple[Path, str]], pcm: Pcm) -> list[Trace]:
    """Run each firmware with its play (see `Mutant.play`)."""
    every: list[Trace] = []
    for i in range(0, len(plays), _AT_ONCE):
        with tempfile.TemporaryDirectory(prefix="kws-mutants-") as name:
            every += _traces(board, plays[i : i + _AT_ONCE], pcm, Path(name))
    return every


def _traces(board: str, plays: Sequence[tuple[Path, str]], pcm: Pcm, place: Path) -> list[Trace]:
    (place / "sound.raw").write_bytes(microphone(find_board(board), pcm))
    lines = ["logLevel 3"]
    for number, (elf, play) in enumerate(plays):
        lines += [*_script(board, elf, play, place, f"serial{number}.txt"), "Clear"]
    (place / "run.resc").write_text("\n".join([*lines, "quit"]) + "\n")
    command = [*find_renode(), "--disable-xwt", "--console", "--plain", "--hide-log"]
    done = subprocess.run(
        [*command, "-e", f"include @{place / 'run.resc'}"],
        capture_output=True,
        text=True,
        timeout=3600,
        check=False,
    )
    parts = done.stdout.split(_MARK)[1:]
    assert len(parts) == len(plays), done.stdout + done.stderr
    every = []
    for number, part in enumerate(parts):
        serial = place / f"serial{number}.txt"  # missing if the board wrote nothing
        text = serial.read_bytes().decode("utf-8", "replace") if serial.exists() else ""
        lit = re.findall(r"^(True|False)\s*$", part, re.M)
        leds = "".join("+" if state == "True" else "-" for state in lit)
        count = len(LEDS[board])
        looks = tuple(leds[i : i + count] for i in range(0, len(leds), count))
        assert looks, part
        values = [int(value, 16) for value in re.findall(r"^(0x[0-9A-F]{8})\s*$", part, re.M)]
        masks = [mask for _, mask, _ in REGISTERS[board]]
        registers = tuple(value & mask for value, mask in zip(values, masks, strict=True))
        idle = tuple(float(share) for share in _COUNTED.findall(text) if share)
        clocks = tuple(int(clock) for both in _HEALTH.findall(text) for clock in both)
        every.append(Trace(_HEALTH.sub("", _COUNTED.sub("", text)), idle, clocks, looks, registers))
    return every


def _script(board: str, elf: Path, play: str, place: Path, serial: str) -> list[str]:
    lines = [
        f"$elf=@{elf}",
        f"include @{scripts() / board}.resc",
        f"uart0 CreateFileBackend @{place / serial} true",
        f"include @{scripts() / 'run_watched.py'}",
        f'echo "{_MARK}"',
    ]
    sound = f"microphone SetInputFile @{place / 'sound.raw'}"
    if play != "deaf":
        lines.append(sound)
    typed = {}
    if play in SAVES:
        lines.append("settings_flash Fill 0x5a5a5a5a")
        for i in range(SAVES[play]):
            # The first save erases a page.
            typed[0.3 if i == 0 else 0.44 + 0.06 * i] = f'uart0 WriteLine "gain {i % 7}"'
        end = _SECONDS[play]
        typed[2.2] = sound  # again, because the recording is shorter
        typed[end - 0.9] = 'uart0 WriteLine "threshold 180"'
        typed[end - 0.8] = 'uart0 WriteLine "stats"'
        typed[end - 0.7] = "machine Reset"
        typed[end - 0.6999] = f"runMacro $reset\n{sound}"
        typed[end - 0.2] = 'uart0 WriteLine "threshold"'
        typed[end - 0.1] = 'uart0 WriteLine "stats"'
        typed = {at: command for at, command in typed.items() if at < end}
    if play == "loud":
        typed[0.3] = 'uart0 WriteLine "gain 6"'
    if play in ("sound", "loud"):
        typed[_SECONDS[play] - 0.2] = 'uart0 WriteLine "level"'
        typed[_SECONDS[play] - 0.1] = 'uart0 WriteLine "stats"'
    if play == "pcm":
        lines.append("settings_flash Fill 0x5a5a5a5a")
        # The adapter follows the board's rate: fast while samples are sent.
        typed[0.4] = 'uart0 WriteLine "pcm 1"'
        typed[0.5] = f"uart0 Rate {FAST_BAUD}"
        typed[0.9] = 'uart0 WriteLine "gain 0"'
        if board not in STANDS:
            # The core is halted at the end of a block; the DMA continues.
            typed[1.3] = "cpu IsHalted true"
            typed[1.3 + _STAND_SECONDS] = "cpu IsHalted false"
        typed[1.9] = f"uart0 Rate {BAUD}"
        typed[2.1] = 'uart0 WriteLine "stats"'
    if play in ("pcm", "quiet", "minute"):
        typed[_SECONDS[play] - 0.2] = 'uart0 WriteLine "health"'
    if play == "hang":
        symbol = '`sysbus GetSymbolAddress "kws::Pipeline::ProcessHop"`'
        typed[0.5] = f"sysbus WriteDoubleWord {symbol} {_HANG}"
    events = [(at, [command]) for at, command in typed.items()]
    states = [f"{led} State" for led in LEDS[board]]
    looks = int(_SECONDS[play] / _LOOKS[play])
    events += [((i + 1) * _LOOKS[play], states) for i in range(looks)]
    now = 0.0
    for at, commands in sorted(events, key=lambda event: event[0]):
        if at > now:
            lines.append(f'run_watched "{at - now:.6f}"')
        lines += commands
        now = at
    return lines + [f"sysbus ReadDoubleWord {address:#x}" for address, _, _ in REGISTERS[board]]
