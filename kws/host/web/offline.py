# SPDX-License-Identifier: Apache-2.0
"""What makes an exported page installable, and lets it start without network.

A page's version is a digest of its files. Links in index.html carry it (`app.js?v=...`), so that
neither a browser's cache nor the service worker mixes the files of two versions.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping

from kws.host.web.site_files import ICON_SIZES, icon_name, service_worker

INDEX, MANIFEST, WORKER = "index.html", "manifest.json", "sw.js"

_LINK = re.compile(r'(?<= )(src|href)="([^"]+)"')
_COLOUR = "#10151c"  # the dark scheme's background; a phone shows it while the page starts


def add_offline_files(files: dict[str, bytes], title: str, name: str) -> None:
    """Put the version into a page's links, and add its manifest and service worker.

    Args:
        files: all other files of the page, by name.
        title: the page's title.
        name: its name below the icon on a phone.
    """
    digest = hashlib.sha256()
    for file, content in sorted(files.items()):
        digest.update(f"{file}\0{len(content)}\0".encode() + content)
    version = digest.hexdigest()[:16]
    index = files[INDEX].decode()
    linked = {file for _, file in _LINK.findall(index)}
    files[INDEX] = _LINK.sub(rf'\1="\2?v={version}"', index).encode()
    kept = {f"{file}?v={version}": files[file] for file in sorted(linked)}
    files[WORKER] = _worker(version, {INDEX: files[INDEX], **kept})
    files[MANIFEST] = _manifest(title, name)


def _worker(version: str, kept: Mapping[str, bytes]) -> bytes:
    digests = {file: _integrity(content) for file, content in kept.items()}
    constants = f"const KWS_VERSION = {json.dumps(version)};\nconst KWS_FILES = "
    return (
        "// SPDX-License-Identifier: Apache-2.0\n// Written by kws export web. Do not edit.\n"
        f"{constants}{json.dumps(digests, indent=2)};\n\n{service_worker()}"
    ).encode()


def _integrity(content: bytes) -> str:
    """A file's digest as browsers check it (W3C Subresource Integrity)."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content).digest()).decode("ascii")


def _manifest(title: str, name: str) -> bytes:
    icons = [
        {
            "src": icon_name(size),
            "sizes": f"{size}x{size}",
            "type": "image/png",
            "purpose": purpose,
        }
        for size in ICON_SIZES
        for purpose in ("any", "maskable")
    ]
    manifest = {
        "name": title,
        "short_name": name,
        "start_url": ".",
        "scope": ".",
        "display": "standalone",
        "background_color": _COLOUR,
        "theme_color": _COLOUR,
        "icons": icons,
    }
    return json.dumps(manifest, indent=2, ensure_ascii=False).encode() + b"\n"
