"""The machine's microphones, through PortAudio: find one, listen to it, survive its unplugging."""

from __future__ import annotations

import atexit
import contextlib
import errno
import importlib
import json
import math
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar, cast

import numpy as np

from kws.audio.resampling import Pcm, Resampler
from kws.errors import AudioError, ToolError

_NODES = Path("/dev/snd")
_QUEUE_SECONDS = 5.0  # sound that waits while this machine is busy; what is more is lost
_SILENT_SECONDS = 3.0  # a device that gives nothing for so long has gone
_ANSWER_SECONDS = 10.0  # until a sound server that says nothing is told of
_RETRY_SECONDS = 0.5
_CLOSE_SECONDS = 2.0
_TICK_SECONDS = 0.1
_LATENCY_SECONDS = 0.04  # of PortAudio's buffer
_WIDEST = 8  # channels; a sound server offers many that nobody wants

_T = TypeVar("_T")


@dataclass(frozen=True)
class Device:
    """A microphone, or what a sound server calls one."""

    index: int
    name: str
    rate: int
    """Samples a second that it likes best."""
    channels: int
    default: bool


@dataclass(frozen=True)
class Block:
    """A piece of the stream. An empty one only says that time goes on."""

    pcm: Pcm
    captured: float = 0.0
    """`time.monotonic()` when its last sample was in the air."""


@dataclass(frozen=True)
class Notice:
    """One line for the user: the device came or went, or sound was lost."""

    text: str
    connected: bool
    """Whether sound comes from now on."""


def portaudio() -> ModuleType:
    """The sounddevice module.

    Raises:
        ToolError: it or the library that it loads is missing.
    """
    # It starts the sound system, which may never answer: in a thread, so that Ctrl-C is taken.
    loading = threading.Thread(target=_load, daemon=True)
    loading.start()
    while loading.is_alive():
        loading.join(_TICK_SECONDS)
    try:
        import sounddevice  # noqa: PLC0415
    except (ImportError, OSError):
        raise ToolError(
            "the library PortAudio was not found; it is needed for microphones: "
            "on Debian or Ubuntu, apt-get install libportaudio2, then pip install sounddevice"
        ) from None
    module: ModuleType = sounddevice
    return module


def _load() -> None:
    with contextlib.suppress(ImportError, OSError):
        importlib.import_module("sounddevice")


def list_devices() -> list[Device]:
    """Every device that sound can be had from.

    Raises:
        ToolError: PortAudio is missing.
        AudioError: the sound system does not answer.
    """
    sound = portaudio()
    try:
        default = sound.default.device[0]
        if default < 0:
            default = next((api["default_input_device"] for api in sound.query_hostapis()), -1)
        return [
            Device(
                found["index"],
                found["name"],
                round(found["default_samplerate"]),
                found["max_input_channels"],
                found["index"] == default,
            )
            for found in sound.query_devices()
            if found["max_input_channels"] > 0
        ]
    except sound.PortAudioError as error:
        raise AudioError(f"the sound system does not answer ({_reason(error)})") from None


def find_device(wanted: str | None, devices: list[Device]) -> Device:
    """The device that is meant: a number, a name, a part of one name, or None for the default.

    Raises:
        AudioError: there is none, or more than one.
    """
    if not devices:
        raise AudioError(_why_none())
    if wanted is None:
        return next((device for device in devices if device.default), devices[0])
    fitting = [d for d in devices if wanted in (str(d.index), d.name)]
    fitting = fitting or [d for d in devices if wanted.lower() in d.name.lower()]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = ", ".join(f"{d.index} {d.name}" for d in fitting)
        raise AudioError(f"microphone {wanted!r} could be any of {names}; name one by its number")
    raise AudioError(
        f"no microphone {wanted!r} is there; plug it in, or choose from kws listen --list-devices"
    )


def devices_text(devices: list[Device]) -> str:
    """A line for each device.

    Raises:
        AudioError: there is none.
    """
    if not devices:
        raise AudioError(_why_none())
    width = max(len(device.name) for device in devices)
    return "\n".join(
        f"{d.index:3}  {d.name:<{width}}  {d.rate} Hz{'  (default)' if d.default else ''}"
        for d in devices
    )


def devices_json(devices: list[Device]) -> str:
    """The same for a script; an empty list where there is none."""
    return json.dumps([asdict(device) for device in devices])


class Microphone:
    """Sound from one device for as long as wanted; it may come and go."""

    def __init__(self, wanted: str | None = None) -> None:
        """`wanted`: see `find_device`.

        Raises:
            ToolError: PortAudio is missing.
        """
        self._sound = portaudio()
        self._wanted = wanted
        self._stuck = False
        self.title = ""
        """The device and its rate, once it is open."""

    def blocks(self) -> Generator[Block | Notice, None, None]:
        """The sound as it comes, for ever: 16 kHz pieces, at least one block each 0.1 s.

        Where there is no device, or it is busy, refused or unplugged, a notice says so once, and
        the device is looked for until it is there.
        """
        said = ""
        with _libraries_silent(for_ever=lambda: self._stuck):
            while True:
                try:
                    raw, stream = yield from self._patiently(self._open)
                    try:
                        said = ""
                        yield Notice(f"listening to {self.title}", connected=True)
                        yield from stream.blocks()
                    finally:
                        self._close(raw)
                    yield Notice(
                        f"{self.title} went away; plug it in again, kws waits for it",
                        connected=False,
                    )
                except AudioError as error:
                    if str(error) != said:
                        said = str(error)
                        yield Notice(f"{said} (kws waits for it)", connected=False)
                # Steps, so that whoever reads can do other things meanwhile.
                for _ in range(round(_RETRY_SECONDS / _TICK_SECONDS)):
                    time.sleep(_TICK_SECONDS)
                    yield Block(np.zeros(0, np.int16))
                yield from self._patiently(self._look_again)

    def _patiently(self, work: Callable[[], _T]) -> Generator[Block | Notice, None, _T]:
        """Do something with PortAudio, and say that time goes on meanwhile.

        A sound server that loses its device in that moment may never answer; whoever reads can
        still leave.
        """
        results: queue.SimpleQueue[tuple[_T | None, Exception | None]] = queue.SimpleQueue()

        def run() -> None:
            try:
                results.put((work(), None))
            except Exception as error:  # noqa: BLE001 - raised below
                results.put((None, error))

        threading.Thread(target=run, daemon=True).start()
        end = time.monotonic() + _ANSWER_SECONDS
        while True:
            try:
                result, error = results.get(timeout=_TICK_SECONDS)
            except queue.Empty:
                try:
                    if time.monotonic() > end:
                        end = math.inf
                        text = "the sound system does not answer; leave with Ctrl-C and try again"
                        yield Notice(text, connected=False)
                    yield Block(np.zeros(0, np.int16))
                except GeneratorExit:
                    self._give_up()
                    raise
                continue
            if error is not None:
                raise error
            return cast(_T, result)

    def _look_again(self) -> None:
        """PortAudio notes devices when it starts, so it has to start anew to see another one."""
        if self._stuck:
            return
        with contextlib.suppress(self._sound.PortAudioError):
            self._sound._terminate()
        with contextlib.suppress(self._sound.PortAudioError):
            self._sound._initialize()

    def _open(self) -> tuple[Any, _Stream]:
        device = find_device(self._wanted, list_devices())
        stream = _Stream(device.rate)
        try:
            raw = self._start(device, stream)
        except self._sound.PortAudioError as error:
            raise AudioError(f"microphone {device.name}: {_reason(error)}") from None
        self.title = f"{device.name} at {device.rate} Hz"
        return raw, stream

    def _close(self, raw: Any) -> None:
        """Close a stream; one whose sound server went away in that moment may never be closed."""

        def close() -> None:
            raw.abort(ignore_errors=True)
            raw.close(ignore_errors=True)

        closing = threading.Thread(target=close, daemon=True)
        closing.start()
        closing.join(_CLOSE_SECONDS)
        if closing.is_alive():
            self._give_up()

    def _give_up(self) -> None:
        """PortAudio hangs in a thread: leave it alone from now on."""
        if not self._stuck:
            self._stuck = True
            atexit.register(_leave)

    def _start(self, device: Device, stream: _Stream) -> Any:
        # One channel where the device can; else all, which are averaged.
        error: Exception | None = None
        for channels in sorted({1, 2, min(device.channels, _WIDEST)}):
            try:
                raw = self._sound.InputStream(
                    device=device.index,
                    samplerate=device.rate,
                    channels=channels,
                    dtype="float32",
                    blocksize=device.rate // 50,  # a hop; smaller ones only cost
                    latency=_LATENCY_SECONDS,
                    callback=stream.take,
                    finished_callback=stream.finish,
                )
                raw.start()
            except self._sound.PortAudioError as problem:
                error = error or problem
                continue
            return raw
        raise error or AudioError(f"microphone {device.name}: it has no channels")


class _Stream:
    """What PortAudio's thread hands over to the thread that listens."""

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._resampler = Resampler(rate)
        self._queue: queue.SimpleQueue[tuple[Any, float] | None] = queue.SimpleQueue()
        # Each is written by one thread only; their difference is what waits.
        self._put = self._got = 0
        self._lost = 0

    def take(self, samples: Any, frames: int, times: Any, status: Any) -> None:
        """PortAudio's callback: it must not wait."""
        age = max(times.currentTime - times.inputBufferAdcTime - frames / self._rate, 0.0)
        if status.input_overflow:
            self._lost += 1
        if self._put - self._got > _QUEUE_SECONDS * self._rate:
            self._lost += 1
            return
        self._put += frames
        self._queue.put((samples.copy(), time.monotonic() - age))

    def finish(self) -> None:
        """PortAudio's callback at the stream's end, such as when the device is unplugged."""
        self._queue.put(None)

    def blocks(self) -> Iterator[Block | Notice]:
        """The sound, until the device has gone."""
        heard = told_at = time.monotonic()
        told = 0
        while True:
            try:
                item = self._queue.get(timeout=_TICK_SECONDS)
            except queue.Empty:
                if time.monotonic() - heard > _SILENT_SECONDS:
                    return
                yield Block(np.zeros(0, np.int16))
                continue
            if item is None:
                return
            samples, captured = item
            self._got += len(samples)
            heard = time.monotonic()
            yield Block(self._resampler.feed(samples), captured)
            if self._lost != told and heard - told_at > 1.0:
                told, told_at = self._lost, heard
                yield Notice("sound was lost: this machine does not keep up", connected=True)


def _leave() -> None:
    """End now, with exit code 1: libraries that wait for a thread that hangs would never end."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, OSError, ValueError):
            stream.flush()
    os._exit(1)


def _reason(error: Exception) -> str:
    """What PortAudio's error means, and what to do."""
    # What the binding gives: text, PortAudio's code, (API, its code, its text).
    text, code, host = (tuple(error.args) + ("", 0, None)[len(error.args) :])[:3]
    number = -host[1] if host else 0
    if code == -9985 or number == errno.EBUSY:  # paDeviceUnavailable
        return "it is busy; close the program that uses it"
    if number in (errno.EACCES, errno.EPERM):
        return "it may not be used; add yourself to the group audio and log in again"
    if number in (errno.ENODEV, errno.ENOENT, errno.EIO, errno.ECONNREFUSED):
        return "it is not there; plug it in, or look whether the sound server runs"
    detail = host[2] if host and host[2] else str(text).removeprefix("Error opening InputStream: ")
    return f"it cannot be used ({detail.lower()}); choose another with --device"


def _why_none() -> str:
    """Why PortAudio knows no microphone at all."""
    captures = sorted(_NODES.glob("pcm*c")) if _NODES.is_dir() else []
    if captures and not any(os.access(node, os.R_OK | os.W_OK) for node in captures):
        return (
            f"no permission for the microphone ({captures[0]}); add yourself to the group audio: "
            "sudo usermod -aG audio $USER, then log in again"
        )
    return "no microphone was found; plug one in"


@contextlib.contextmanager
def _libraries_silent(for_ever: Callable[[], bool]) -> Iterator[None]:
    """PortAudio and ALSA write on descriptor 2 what only their makers understand; not in here.

    Python's own sys.stderr goes on to work.

    Args:
        for_ever: whether they may still write afterwards: a thread of theirs that cannot be ended
            writes without end, and where nobody reads it, the process could not end.
    """
    try:
        kept = os.dup(2)
    except OSError:  # there is no stderr
        yield
        return
    own = os.fdopen(kept, "w", buffering=1, encoding="utf-8", errors="backslashreplace")
    stderr, nothing = sys.stderr, os.open(os.devnull, os.O_WRONLY)
    is_two = _descriptor(stderr) == 2
    os.dup2(nothing, 2)
    os.close(nothing)
    if is_two:
        sys.stderr = own
    try:
        yield
    finally:
        if not for_ever():
            if is_two:
                sys.stderr = stderr
            os.dup2(kept, 2)
            own.close()


def _descriptor(stream: Any) -> int:
    try:
        number: int = stream.fileno()
    except (AttributeError, OSError, ValueError):
        return -1
    return number
