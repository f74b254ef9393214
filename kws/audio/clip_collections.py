# SPDX-License-Identifier: Apache-2.0
"""Where the clips of a data set come from, as the `manifest.csv` in its folder says.

Its columns are `path` or `file`, from the data set's folder, and `source`, `repository` or `repo`.
Other columns do not matter. A manifest without these columns says nothing of collections.
"""

from __future__ import annotations

import csv
from pathlib import Path

from kws.audio.long_recordings import MANIFEST
from kws.errors import DataError

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
    try:
        with manifest.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            columns = rows.fieldnames or ()
            path = next((name for name in _FILES if name in columns), None)
            collection = next((name for name in _COLLECTIONS if name in columns), None)
            if not path or not collection:
                return {}
            return {root / row[path]: row[collection] or "" for row in rows if row[path]}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or "it is not a table of text"
        raise DataError(f"{manifest}: {reason.lower()}; correct or remove it") from None
