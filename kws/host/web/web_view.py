"""The page as a view of `kws listen`: events go to it, what users do on it comes back."""

from __future__ import annotations

import itertools
import queue
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np

from kws import _core
from kws.audio.capture.blocks import Block, Notice
from kws.audio.sound_files import wav_bytes
from kws.bundle.bundle import Bundle, default_bundle_path
from kws.bundle.flash_table import flash_of
from kws.bundle.reading import load_bundle
from kws.bundle.writing import write_bundle
from kws.errors import KwsError
from kws.features.frontend_settings import HOP_MS
from kws.host.build.boards import boards
from kws.host.live.listener import Hop, Listener, Said
from kws.host.live.terminal import CpuShare
from kws.host.live.views import View, tell
from kws.host.serial.lines import Heard
from kws.host.web.hub import Hub
from kws.host.web.server import Server

_CLIP_SECONDS = 1.6  # what triggered a word: the window that is averaged, and the word before it
_MOST_WISHES = 256
_CLIPPED, _HAS_FRAME = 1, 2


class Web:
    """Shows everything on the page, and lines also where `inner` shows them."""

    def __init__(self, listener: Listener, inner: View, host: str, port: int) -> None:
        """Takes the port.

        Raises:
            KwsError: the port is taken.
        """
        self._listener = listener
        self._inner = inner
        self._wishes: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._columns: list[bytes] = []
        self._latency = 0.0
        self._connected = False
        self._cpu = CpuShare()
        self._figures_at = 0.0
        about = {
            "model": about_model(listener.bundle),
            "boards": about_boards(listener.bundle),
            "labels": list(listener.bundle.labels),
            "thresholds": list(listener.thresholds),
            "saved": list(listener.thresholds),
            "channels": _core.CHANNELS,
            "boot": listener.boot.text,
            "notice": {"text": "", "connected": False},
        }
        self._hub = Hub(about)
        self._server = Server(host, port, self._hub, self._wish)

    @property
    def url(self) -> str:
        """Where the page is."""
        return self._server.url

    def __enter__(self) -> Web:
        """Serve."""
        self._inner.__enter__()
        self._server.start()
        tell(f"{self.url} shows it; Ctrl-C leaves")
        return self

    def __exit__(self, *exc: object) -> None:
        """Close every page."""
        self._server.stop()
        self._inner.__exit__(*exc)

    def said(self, said: Said) -> None:
        """Tell of a line; with a word goes the sound that triggered it."""
        self._inner.said(said)
        if not isinstance(said.line, Heard):
            return
        self._latency = said.latency
        event = {
            "label": said.line.label,
            "score": said.line.score,
            "time_ms": said.line.time_ms,
            "line": said.text,
            "at": datetime.now().astimezone().isoformat(timespec="seconds"),
        }
        recent = self._listener.recent()[-round(_CLIP_SECONDS * _core.SAMPLE_RATE) :]
        self._flush()
        self._server.call(self._hub.heard, event, wav_bytes(recent))

    def hop(self, hop: Hop) -> None:
        """Keep a column until the next tick."""
        flags = (_CLIPPED if hop.clipped else 0) | (_HAS_FRAME if len(hop.frame) else 0)
        frame = hop.frame.view(np.uint8) ^ 0x80 if len(hop.frame) else _NO_FRAME
        head = bytes([round(hop.peak * 255), flags, *hop.means])
        self._columns.append(head + frame.tobytes())

    def notice(self, notice: Notice | str) -> None:
        """Show a line about the microphone or a command."""
        self._inner.notice(notice)
        if isinstance(notice, str):
            self._server.call(self._hub.say, "notice", notice)
        elif notice.connected and self._connected:  # a remark: the device is the same
            self._server.call(self._hub.say, "problem", notice.text)
        else:
            self._connected = notice.connected
            self._state(notice={"text": notice.text, "connected": notice.connected})

    def tick(self) -> None:
        """Send what came since the last tick, and do what the pages wish."""
        self._inner.tick()
        self._flush()
        for _ in range(min(self._wishes.qsize(), _MOST_WISHES)):
            self._grant(self._wishes.get())
        if time.monotonic() - self._figures_at >= 1.0:
            self._figures_at = time.monotonic()
            late = round(self._latency * 1000) if self._latency else None
            self._state(figures={"processor": round(self._cpu.percent(), 1), "latency": late})

    def _flush(self) -> None:
        if self._columns:
            self._server.call(self._hub.columns, b"".join(self._columns))
            self._columns = []

    def _state(self, **changes: Any) -> None:
        self._server.call(lambda: self._hub.state(**changes))

    def _wish(self, wish: dict[str, Any], near: bool) -> None:
        """Called by the server's thread. Raises ValueError or KeyError for what no page sends."""
        kind = wish["type"]
        if kind == "threshold":
            label, value = wish["label"], wish["value"]
            numbers = type(label) is int and type(value) is int
            if not numbers or not 0 <= label < len(self._listener.bundle.labels):
                raise ValueError
            if not 0 <= value <= 255:
                raise ValueError
        elif kind not in ("save", "reset"):
            raise ValueError
        if kind == "save" and not near:
            self._hub.say("problem", "thresholds can be saved on the machine that listens only")
        elif self._wishes.qsize() < _MOST_WISHES:
            self._wishes.put(wish)

    def _grant(self, wish: dict[str, Any]) -> None:
        if wish["type"] == "threshold":
            self._listener.set_threshold(wish["label"], wish["value"])
            self._state(thresholds=list(self._listener.thresholds))
        elif wish["type"] == "reset":
            for label, value in enumerate(saved_thresholds(self._listener.bundle)):
                self._listener.set_threshold(label, value)
            self._state(thresholds=list(self._listener.thresholds))
        else:
            self._save()

    def _save(self) -> None:
        try:
            bundle = save_thresholds(self._listener.bundle, self._listener.thresholds)
        except KwsError as error:
            self._server.call(self._hub.say, "problem", str(error))
            return
        self._listener.bundle = bundle
        self._state(saved=saved_thresholds(bundle))
        self._server.call(self._hub.say, "notice", f"saved to {bundle.path}")


_NO_FRAME = np.zeros(_core.CHANNELS, np.uint8)


def saved_thresholds(bundle: Bundle) -> list[int]:
    """A bundle's threshold of each label."""
    settings = bundle.recognizer
    own = settings.label_thresholds(bundle.labels)
    return own or [settings.detection_threshold] * len(bundle.labels)


def save_thresholds(bundle: Bundle, thresholds: tuple[int, ...]) -> Bundle:
    """Write a bundle anew where it is, with a threshold for each label.

    Raises:
        KwsError: it came with kws, holds another model by now, or could not be written.
    """
    if bundle.path is None or bundle.path.resolve() == default_bundle_path().resolve():
        raise KwsError(
            "the model that comes with kws is not changed; copy it with kws convert, "
            "and name the copy with --model"
        )
    now = load_bundle(bundle.path)
    if now.sha256 != bundle.sha256:
        raise KwsError(f"{bundle.path}: holds another model by now; start kws listen again")
    usual = now.recognizer.detection_threshold
    own = {
        label: value for label, value in zip(now.labels, thresholds, strict=True) if value != usual
    }
    return write_bundle(
        replace(now, recognizer=replace(now.recognizer, thresholds=own)), bundle.path
    )


def about_model(bundle: Bundle) -> dict[str, Any]:
    """What the page says of the model."""
    accuracy = bundle.metrics.get("accuracy")
    flash = flash_of(bundle.ops)
    return {
        "name": bundle.name,
        "sha8": bundle.sha8,
        "path": str(bundle.path or ""),
        "bytes": len(bundle.model),
        "arena": bundle.arena_bytes,
        "every_ms": bundle.inference_stride * HOP_MS,
        "window_ms": bundle.recognizer.average_window_ms,
        "accuracy": accuracy.get("core") if isinstance(accuracy, dict) else None,
        "ops": [[name, flash.own.get(name, 0)] for name in dict.fromkeys(bundle.ops)],
        "ops_shared": flash.shared,
        "about": bundle.data,
    }


def about_boards(bundle: Bundle) -> list[dict[str, Any]]:
    """What the model takes of each board's memory."""
    return [
        {
            "title": board.title,
            "flash": board.flash,
            "ram": board.ram,
            "model": len(bundle.model),
            "arena": bundle.arena_bytes,
        }
        for board in boards()
    ]


def staying(sound: Iterator[Block | Notice]) -> Iterator[Block | Notice]:
    """A recording, and then time that goes on, so that the page stays."""
    yield from sound
    yield Notice("the recording is over", connected=False)
    for _ in itertools.count():
        time.sleep(0.1)
        yield Block(np.zeros(0, np.int16))
