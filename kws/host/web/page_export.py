"""Writes a static page that runs a bundle: the core as WebAssembly, the model, and what shows them.

The page opens from a web server and as a file. From a file a browser lets a page read no other
file, so the model and the core travel as scripts, in base64.
"""

from __future__ import annotations

import base64
import dataclasses
import json
from pathlib import Path
from typing import Any

from kws import __version__
from kws._core import SAMPLE_RATE
from kws.bundle.bundle import Bundle
from kws.errors import ToolError, UsageError
from kws.files import new_directory
from kws.host.emulate.padding import PAUSE_SECONDS, silence

PAGE = Path(__file__).parent / "exported_page"
LIVE_PAGE = Path(__file__).parent / "page"
WASM = PAGE / "kws.wasm"
"""The core, as `make wasm` builds it."""

SHARED = ("live.css", "spectrogram.js", "classes.js", "icon.svg")
"""What the page has in common with the one of `kws listen --web`, and is taken from there."""

FILES = (
    *("index.html", "page.css", "core.js", "worker.js", "microphone.js", "recording.js", "app.js"),
    *SHARED,
)
"""What is the same for every bundle, beside `CORE`."""

CORE = "core.wasm.js"
MODEL = "model.js"

_STEPS_BELOW = 4  # silence() is within +-4: a digit a sample


def export_page(bundle: Bundle, out: Path) -> int:
    """Write the page's folder whole, or leave what was there as it was.

    Returns:
        Bytes of all files but the model's.

    Raises:
        UsageError: `out` is a file, or a folder that holds something else than such a page.
        ToolError: the core was not built.
        KwsError: it could not be written; an old page there is untouched.
    """
    _check_destination(out)
    try:
        core = _base64(WASM.read_bytes())
    except OSError:
        raise ToolError(f"{WASM}: missing; build it with make wasm") from None
    with new_directory(out) as folder:
        for name in FILES:
            source = LIVE_PAGE if name in SHARED else PAGE
            (folder / name).write_bytes((source / name).read_bytes())
        _write_script(folder / CORE, {"KWS_CORE": core, "KWS_PAUSES": _pauses()})
        size = sum(file.stat().st_size for file in folder.iterdir())
        content = {"KWS_BUNDLE": settings(bundle), "KWS_MODEL": _base64(bundle.model)}
        _write_script(folder / MODEL, content)
    return size


def settings(bundle: Bundle) -> dict[str, Any]:
    """What the page has to know of a bundle, the model's bytes aside."""
    recognizer = dataclasses.asdict(bundle.recognizer)
    del recognizer["thresholds"]
    return {
        "kws": __version__,
        "name": bundle.name,
        "labels": list(bundle.labels),
        "sha256": bundle.sha256,
        "arena_bytes": bundle.arena_bytes,
        "inference_stride": bundle.inference_stride,
        "recognizer": recognizer,
        "thresholds": bundle.recognizer.label_thresholds(bundle.labels),
        "ops": list(bundle.ops),
        "data": bundle.data,
    }


def _pauses() -> list[str]:
    """The silence before and after a recording: a digit a sample, 4 is zero."""
    samples = PAUSE_SECONDS * SAMPLE_RATE
    return ["".join(map(str, silence(samples, seed) + _STEPS_BELOW)) for seed in (0, 1)]


def _write_script(path: Path, constants: dict[str, Any]) -> None:
    lines = [f"// Written by kws {__version__} export web. Do not edit."]
    lines += [f"const {name} = {json.dumps(value)};" for name, value in constants.items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _check_destination(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: a file is in the page's place; name another folder")
    if out.is_dir() and any(out.iterdir()) and not (out / MODEL).is_file():
        raise UsageError(f"{out}: this folder holds something else than a page; name another")
