# SPDX-License-Identifier: Apache-2.0
"""The report's scripts and styles. `kws studio` serves those that its page shares."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

SITE = Path(__file__).parent / "site"

_SCRIPTS = (
    "dom.js", "controls.js", "plot.js", "report_charts.js", "report_sounds.js", "report.js",
)  # fmt: skip
"""Each one after those that it imports from."""

_STYLES = ("theme.css", "report.css")

_OPEN, _CLOSE = '<script type="module">', "</script>"

_IMPORT = re.compile(r"^import .*\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def script_element() -> str:
    """All modules as one script in the page: modules in files cannot be loaded from file://."""
    text = "".join((SITE / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    return f"{_OPEN}{_EXPORT.sub('', _IMPORT.sub('', text))}{_CLOSE}"


def styles() -> str:
    """The text of the page's style element."""
    return "".join((SITE / name).read_text(encoding="utf-8") for name in _STYLES)


def content_policy(page: bytes) -> str:
    """The Content-Security-Policy of a page: no network, and no script except its own.

    Its own is the first one, which precedes all names of words, files and people.
    """
    _, opened, rest = page.partition(_OPEN.encode())
    script, closed, _ = rest.partition(_CLOSE.encode())
    digest = base64.b64encode(hashlib.sha256(script).digest()).decode()
    source = f"'sha256-{digest}'" if opened and closed else "'none'"
    return (
        f"default-src 'none'; script-src {source}; style-src 'unsafe-inline'; img-src data:; "
        "media-src data:; base-uri 'none'; form-action 'none'"
    )
