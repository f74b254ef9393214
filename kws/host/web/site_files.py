# SPDX-License-Identifier: Apache-2.0
"""The page's files. `kws listen --web` serves them, `kws export web` copies them."""

from __future__ import annotations

from pathlib import Path, PurePath

SITE = Path(__file__).parent / "site"

WASM = SITE / "kws.wasm"
"""The core, built by `make wasm`."""

MODEL = "model.js"
"""The device's settings and models, as a script."""

CORE = "core.wasm.js"
"""WASM as a script: a page opened as a file can load scripts, but no other files."""

_ASSETS = ("page.css", "icon.svg")
_SCRIPTS = ("policy.js", "word_span.js", "spectrogram.js", "classes.js", "app.js")
_LIVE = ("live_source.js",)
_EXPORTED = (
    "core.js",
    "worker.js",
    "microphone.js",
    "recording.js",
    "wake_lock.js",
    "browser_source.js",
    "install.js",
)

ICON_SIZES = (192, 512)
"""Sizes of the icons for phones, in pixels; tools/icons.py draws them from icon.svg."""

# The exported page may not open connections, so no sound can leave it.
_EXPORTED_POLICY = (
    "default-src 'none'; script-src 'self' file: blob: data: 'wasm-unsafe-eval'; "
    "style-src 'self' file:; img-src 'self' file:; media-src blob:; worker-src 'self' blob:; "
    "manifest-src 'self'; connect-src 'none'; base-uri 'none'; form-action 'none'"
)

_HEAD = "<!-- head -->"  # placeholder in index.html for the policy and the scripts

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
    ".wav": "audio/wav",
}


def live_page() -> dict[str, bytes]:
    """The files of the page that `kws listen --web` serves, by name."""
    scripts = (*_SCRIPTS, *_LIVE)
    return {"index.html": _index("", scripts), **_read((*_ASSETS, *scripts))}


def exported_page() -> dict[str, bytes]:
    """The files of an exported page by name, without `MODEL` and `CORE`."""
    scripts = (*_SCRIPTS, *_EXPORTED)
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_EXPORTED_POLICY}">\n'
    # Not every phone reads icons of the manifest.
    touch_icon = f'<link rel="apple-touch-icon" href="{icon_name(ICON_SIZES[0])}">\n'
    return {
        "index.html": _index(policy + touch_icon, (MODEL, CORE, *scripts)),
        **_read((*_ASSETS, *scripts, *map(icon_name, ICON_SIZES))),
    }


def service_worker() -> str:
    """The script sw.js, without the constants that `kws export web` adds."""
    return (SITE / "sw.js").read_text(encoding="utf-8")


def icon_name(size: int) -> str:
    """The file of an icon with this many pixels per side."""
    return f"icon-{size}.png"


def content_type(name: str) -> str:
    """The media type of a page's file."""
    return _TYPES[PurePath(name).suffix]


def _read(names: tuple[str, ...]) -> dict[str, bytes]:
    return {name: (SITE / name).read_bytes() for name in names}


def _index(head: str, scripts: tuple[str, ...]) -> bytes:
    tags = "\n".join(f'<script src="{name}" defer></script>' for name in scripts)
    text = (SITE / "index.html").read_text(encoding="utf-8")
    return text.replace(_HEAD, head + tags).encode()
