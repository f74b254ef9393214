# SPDX-License-Identifier: Apache-2.0
"""The web page as a view of `kws listen`; its users can change thresholds."""

from __future__ import annotations

import itertools
import queue
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from kws import _core
from kws.audio.capture.blocks import Block, Notice
from kws.audio.sound_files import wav_bytes
from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.bundle.reading import load_bundle
from kws.bundle.writing import write_bundle
from kws.errors import KwsError
from kws.host.live.listener import Hop, Listener, NearMiss, Said
from kws.host.live.terminal import CpuShare
from kws.host.live.views import View, tell
from kws.host.serial.lines import Heard
from kws.host.web.hub import Hub
from kws.host.web.model_facts import clip_seconds, model_facts, saved_thresholds
from kws.host.web.server import Server
from kws.host.web.site_files import live_page

_MAX_MESSAGES = 256  # from pages, queued until the next tick
_MAX_SCORE = 255
_CLIPPED = 255  # peak of a column with clipped samples; other peaks are lower
_NO_FRAME = np.zeros(_core.CHANNELS, np.uint8)


class Web:
    """Shows events on the page and in the view `inner`."""

    def __init__(self, listener: Listener, inner: View, host: str, port: int) -> None:
        """Opens the port.

        Raises:
            KwsError: the port is in use, or the host is not an address of this machine.
        """
        self._listener = listener
        self._inner = inner
        self._messages: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._columns: list[bytes] = []
        self._time_ms = 0  # end of the newest hop
        self._latency = 0.0
        self._connected = False
        self._cpu = CpuShare()
        self._figures_at = 0.0
        state = {
            "model": model_facts(listener.device),
            "thresholds": list(listener.thresholds),
            "saved": saved_thresholds(listener.device),
            "microphone": {"text": "", "connected": False},
        }
        self._hub = Hub(state)
        self._server = Server((host, port), live_page(), self._hub, self._take)

    @property
    def url(self) -> str:
        """Address of the page."""
        return self._server.url

    def __enter__(self) -> Web:
        """Start serving."""
        self._inner.__enter__()
        self._server.start()
        tell(f"open {self.url} in a browser; Ctrl-C stops")
        return self

    def __exit__(self, *exc: object) -> None:
        """Stop serving, which closes all pages."""
        self._server.stop()
        self._inner.__exit__(*exc)

    def said(self, said: Said) -> None:
        """Show a line and, for a detected word, its audio."""
        self._inner.said(said)
        self._server.call(self._hub.line, said.text)
        if not isinstance(said.line, Heard):
            return
        self._latency = said.latency
        event = {
            "label": said.line.label,
            "score": said.line.score,
            "time_ms": said.line.time_ms,
            "at": _clock(0),
            "delay_ms": round(said.latency * 1000) if said.latency else None,
        }
        self._flush()
        self._server.call(self._hub.word, event, self._clip(0))

    def hop(self, hop: Hop) -> None:
        """Keep a column until the next tick; send second looks at once."""
        self._time_ms = hop.time_ms
        if hop.looked:
            self._flush()
            self._server.call(self._hub.look, hop.looked)
        peak = _CLIPPED if hop.clipped else int(hop.peak * (_CLIPPED - 1))
        frame = hop.frame.view(np.uint8) ^ 0x80 if len(hop.frame) else _NO_FRAME
        self._columns.append(bytes([peak, *hop.means]) + frame.tobytes())

    def near(self, miss: NearMiss) -> None:
        """Show it, with its sound."""
        self._inner.near(miss)
        ago_ms = self._time_ms - miss.time_ms
        event = {**asdict(miss), "at": _clock(ago_ms), "ago_ms": ago_ms}
        self._flush()
        self._server.call(self._hub.near, event, self._clip(ago_ms))

    def notice(self, notice: Notice | str) -> None:
        """Show a line about the microphone or a command."""
        self._inner.notice(notice)
        if isinstance(notice, str):
            self._server.call(self._hub.say, "notice", notice)
        elif notice.connected and self._connected:  # a remark; still the same device
            self._server.call(self._hub.say, "problem", notice.text)
        else:
            self._connected = notice.connected
            self._state(microphone={"text": notice.text, "connected": notice.connected})

    def tick(self) -> None:
        """Send new columns and figures, and handle the pages' messages."""
        self._inner.tick()
        self._flush()
        for _ in range(min(self._messages.qsize(), _MAX_MESSAGES)):
            self._obey(self._messages.get())
        if time.monotonic() - self._figures_at >= 1.0:
            self._figures_at = time.monotonic()
            latency = round(self._latency * 1000) if self._latency else None
            self._state(figures={"processor": round(self._cpu.percent(), 1), "latency": latency})

    def _clip(self, ago_ms: int) -> bytes:
        """The sound of a word or near miss that was certain `ago_ms` ago."""
        samples = round(clip_seconds(self._listener.device) * _core.SAMPLE_RATE)
        return wav_bytes(self._listener.recent(ago_ms)[-samples:])

    def _flush(self) -> None:
        if self._columns:
            self._server.call(self._hub.columns, b"".join(self._columns))
            self._columns = []

    def _state(self, **changes: Any) -> None:
        self._server.call(lambda: self._hub.state(**changes))

    def _take(self, message: dict[str, Any], near: bool) -> None:
        """Called by the server's thread. Raises ValueError or KeyError for an invalid message."""
        kind = message["type"]
        if kind == "threshold":
            label, value = message["label"], message["value"]
            numbers = type(label) is int and type(value) is int
            if not numbers or not 0 <= label < len(self._listener.device.labels):
                raise ValueError
            if not 0 <= value <= _MAX_SCORE:
                raise ValueError
        elif kind != "save":
            raise ValueError
        if kind == "save" and not near:
            self._hub.say("problem", "open the page on the machine that listens to save thresholds")
        elif self._messages.qsize() < _MAX_MESSAGES:
            self._messages.put(message)

    def _obey(self, message: dict[str, Any]) -> None:
        if message["type"] == "save":
            self._save()
        else:
            self._listener.set_threshold(message["label"], message["value"])
            self._state(thresholds=list(self._listener.thresholds))

    def _save(self) -> None:
        try:
            device = save_thresholds(self._listener.device, self._listener.thresholds)
        except KwsError as error:
            self._server.call(self._hub.say, "problem", str(error))
            return
        self._listener.device = device
        self._state(saved=saved_thresholds(device))
        self._server.call(self._hub.say, "notice", f"saved to {device.bundle.path}")


def _clock(ago_ms: int) -> str:
    at = datetime.now().astimezone() - timedelta(milliseconds=ago_ms)
    return at.isoformat(timespec="seconds")


def save_thresholds(device: Device, thresholds: tuple[int, ...]) -> Device:
    """Save thresholds in the device's bundles, in their folders.

    Args:
        device: its bundles were loaded from folders.
        thresholds: one for each of the device's labels, 0 to 255.

    Raises:
        KwsError: a bundle is the built-in one or could not be written, or its folder now holds
            another model.
    """
    count = len(device.bundle.labels)
    commands = device.commands and _save_thresholds(device.commands, thresholds[count:])
    bundle = _save_thresholds(device.bundle, thresholds[:count])
    return replace(device, bundle=bundle, commands=commands)


def _save_thresholds(bundle: Bundle, thresholds: tuple[int, ...]) -> Bundle:
    if bundle.path is None or bundle.path.resolve() == default_bundle_path().resolve():
        raise KwsError(
            "the built-in model cannot be changed; copy it with kws set ... --out NEW, and pass "
            "the copy with --model"
        )
    now = load_bundle(bundle.path)
    if now.sha256 != bundle.sha256:
        raise KwsError(f"{bundle.path}: this folder now holds another model; restart kws listen")
    return write_bundle(now.with_thresholds(thresholds), bundle.path)


def staying(sound: Iterator[Block | Notice]) -> Iterator[Block | Notice]:
    """A recording, then endless empty blocks, so that the page stays open."""
    yield from sound
    yield Notice("the recording has ended", connected=False)
    for _ in itertools.count():
        time.sleep(0.1)
        yield Block(np.zeros(0, np.int16))
