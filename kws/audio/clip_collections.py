# SPDX-License-Identifier: Apache-2.0
"""Where the clips of a data set come from, as the `manifest.csv` in its folder says.

Its columns are `path` or `file`, from the data set's folder, and `source`, `repository` or `repo`.
Other columns do not matter. A manifest without these columns says nothing of collections.
"""

from __future__ import annotations

from pathlib import Path

from kws.audio.long_recordings import MANIFEST, read_manifest

_FILES = ("path", "file")
_COLLECTIONS = ("source", "repository", "repo")


def clip_collections(root: Path) -> dict[Path, str]:
    """The collection of each clip in a data set; empty if no manifest says.

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
