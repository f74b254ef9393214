# SPDX-License-Identifier: Apache-2.0
"""A home folder for users without one, such as service accounts."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from kws.errors import KwsError, os_reason

VOICES = Path(".local/share/kws/voices")
"""Folder of voices in a home folder."""


def ensure_home() -> None:
    """Set $HOME to a cache folder if the user has no writable home.

    It becomes this user's folder in the folder of temporary files. Otherwise some packages fail,
    and others create a folder named `~`. Voices in a read-only home are still found. Call it before
    importing those packages.

    Raises:
        KwsError: the folder cannot be created, or belongs to another user.
    """
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - Path.expanduser raises without a home
    if home.is_absolute() and _is_usable(home, os.W_OK):
        return
    # On Windows, which has no user numbers, the folder of temporary files is the user's own.
    user = os.getuid() if hasattr(os, "getuid") else None
    folder = Path(tempfile.gettempdir()) / ("kws" if user is None else f"kws-{user}")
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        own = user is None or (folder.stat().st_uid == user and not folder.is_symlink())
    except OSError as error:
        raise KwsError(
            f"{folder}: {os_reason(error)}; there is no home folder, so set HOME to a folder for "
            "caches"
        ) from None
    if not own or not _is_usable(folder, os.W_OK):
        raise KwsError(
            f"{folder}: belongs to another user; there is no home folder, so set HOME to a folder "
            "for caches"
        )
    if home.is_absolute() and _is_usable(home / VOICES, os.R_OK):
        os.environ.setdefault("KWS_VOICES", str(home / VOICES))
    os.environ["USERPROFILE" if sys.platform == "win32" else "HOME"] = str(folder)


def _is_usable(folder: Path, how: int) -> bool:
    return os.access(folder, how | os.X_OK) and folder.is_dir()
