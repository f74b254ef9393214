# SPDX-License-Identifier: Apache-2.0
"""Writes a static page that runs a device: the page's files, the core as WebAssembly, the model.

The page works from a web server and as a local file. A page opened as a file cannot read other
files, so the models and the core are scripts with base64 data. If the device has a second bundle
for commands, the page has it too.
"""

from __future__ import annotations

import base64
import dataclasses
import json
from pathlib import Path
from typing import Any

from kws import __version__
from kws.audio.background_noises import room_after
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.bundle.second_look import SecondLook
from kws.errors import ToolError
from kws.files import check_replaceable, new_directory
from kws.host.web.browser_core import build_core
from kws.host.web.model_facts import bundle_thresholds, model_facts
from kws.host.web.offline import add_offline_files
from kws.host.web.site_files import CORE, MODEL, WASM, exported_page
from kws.labels import first_keyword

_ZERO_DIGIT = 4  # room_after() is within +-4: one digit per sample


def export_page(device: Device, out: Path, *, compiled: bool = False) -> int:
    """Write the page's folder. If that fails, an old page stays unchanged.

    Args:
        device: the device that the page runs.
        out: the folder.
        compiled: compile the models into the core as C++, which needs emscripten; otherwise the
            core that comes with kws interprets them, even if the device's firmware is compiled.

    Returns:
        Size of all files in bytes; without `compiled`, `model.js` does not count.

    Raises:
        UsageError: `out` is a file, or a folder with files but without such a page.
        ToolError: the core is missing, or it could not be compiled.
        KwsError: the page could not be written.
    """
    check_replaceable(out, MODEL, "a page")
    device = device.as_compiled() if compiled else device.as_interpreted()
    core = _base64(build_core(device) if compiled else _ready_core())
    models = ["" if compiled else _base64(model.model) for model in device.models]
    settings = _settings(device)
    files = {
        **exported_page(),
        CORE: _script({"KWS_CORE": core, "KWS_ROOM": _room(device)}),
        MODEL: _script({"KWS_BUNDLE": settings, "KWS_MODELS": models}),
    }
    add_offline_files(files, f"kws: {', '.join(settings['keywords'])}", settings["name"])
    with new_directory(out) as folder:
        for name, content in files.items():
            (folder / name).write_bytes(content)
    return sum(len(content) for name, content in files.items() if compiled or name != MODEL)


def _ready_core() -> bytes:
    try:
        return WASM.read_bytes()
    except OSError:
        raise ToolError(f"{WASM}: missing; build it with make wasm") from None


def _settings(device: Device) -> dict[str, Any]:
    """Everything that the page and its core need to know, except the models' bytes."""
    return {
        **model_facts(device),
        "parts": [_part(part) for part in device.parts],
        "compiled": device.compiled,  # the models are in the core
        "page_arena_bytes": device.arena_bytes if device.compiled else device.host_arena_bytes,
        "listen_ms": device.listen_ms if device.commands else 0,
    }


def _look(bundle: Bundle, look: SecondLook) -> dict[str, Any]:
    """The core's settings for a second look."""
    return {
        "sha8": look.sha8,
        "sha256": look.sha256,
        "window_frames": look.frames,
        "output_order": look.order_for(bundle.labels),
        "proposal": look.settings.proposal,
        "looks": look.settings.looks,
        "every": look.settings.every,
        "earlier": look.settings.earlier,
        # 0: it uses the first model's arena.
        "arena_bytes": _own_arena(bundle, look) if bundle.streams else 0,
    }


def _own_arena(bundle: Bundle, look: SecondLook) -> int:
    return look.program.arena_bytes if bundle.compiled else look.arena_bytes


def _part(bundle: Bundle) -> dict[str, Any]:
    """The core's settings for one bundle."""
    recognizer = dataclasses.asdict(bundle.rules.recognizer)
    del recognizer["thresholds"]  # replaced by the list below, one per label
    return {
        "name": bundle.name,
        "sha8": bundle.sha8,
        "sha256": bundle.sha256,
        "labels": list(bundle.labels),
        "inference_stride": bundle.stride,
        "window_frames": bundle.frontend.frames,
        "stride_samples": bundle.frontend.stride_samples,
        "keep_noise": bundle.frontend.keep_noise,
        "first_keyword": first_keyword(bundle.labels),
        "output_order": list(bundle.output_order),
        "recognizer": recognizer,
        "thresholds": bundle_thresholds(bundle),
        "look": _look(bundle, bundle.second_look) if bundle.second_look else None,
    }


def _room(device: Device) -> dict[str, Any]:
    """Noise of a quiet room after a recording: one digit per sample; `zero` stands for 0."""
    samples = room_after(device.clip_ms) + _ZERO_DIGIT
    return {"zero": _ZERO_DIGIT, "text": "".join(map(str, samples))}


def _script(constants: dict[str, Any]) -> bytes:
    lines = [f"// Written by kws {__version__} export web. Do not edit."]
    lines += [f"const {name} = {json.dumps(value)};" for name, value in constants.items()]
    return ("\n".join(lines) + "\n").encode()


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")
