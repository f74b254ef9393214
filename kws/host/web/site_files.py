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
_SCRIPTS = ("policy.js", "spectrogram.js", "classes.js", "app.js")
_LIVE = ("live_source.js",)
_EXPORTED = ("core.js", "worker.js", "microphone.js", "recording.js", "browser_source.js")

# The exported page may not open connections, so no sound can leave it.
_EXPORTED_POLICY = (
    "default-src 'none'; script-src 'self' file: blob: data: 'wasm-unsafe-eval'; "
    "style-src 'self' file:; img-src 'self' file:; media-src blob:; worker-src blob:; "
    "connect-src 'none'; base-uri 'none'; form-action 'none'"
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
    return {
        "index.html": _index(policy, (MODEL, CORE, *scripts)),
        **_read((*_ASSETS, *scripts)),
    }


def content_type(name: str) -> str:
    """The media type of a page's file."""
    return _TYPES[PurePath(name).suffix]


def _read(names: tuple[str, ...]) -> dict[str, bytes]:
    return {name: (SITE / name).read_bytes() for name in names}


def _index(policy: str, scripts: tuple[str, ...]) -> bytes:
    tags = "\n".join(f'<script src="{name}" defer></script>' for name in scripts)
    text = (SITE / "index.html").read_text(encoding="utf-8")
    return text.replace(_HEAD, policy + tags).encode()
