# SPDX-License-Identifier: Apache-2.0
"""The source collection of each clip in a data set, read from its `manifest.csv`.

Columns: `path` or `file`, relative to the data set's folder, and `source`, `repository` or `repo`.
Without these columns no clip has a collection.
"""

from __future__ import annotations

from pathlib import Path

from kws.audio.long_recordings import MANIFEST, read_manifest

_FILES = ("path", "file")
_COLLECTIONS = ("source", "repository", "repo")


def clip_collections(root: Path) -> dict[Path, str]:
    """The collection of each clip in a data set; empty without a manifest that names them.

    Raises:
        DataError: the manifest cannot be read, or is not a table of text.
    """
    manifest = root / MANIFEST
    if not manifest.is_file():
        return {}
    rows = read_manifest(manifest)
    columns = rows[0] if rows else {}
    path = next((name for name in _FILES if name in columns), None)
    collection = next((name for name in _COLLECTIONS if name in columns), None)
    if not path or not collection:
        return {}
    return {root / row[path]: row[collection] or "" for row in rows if row[path]}
