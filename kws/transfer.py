# SPDX-License-Identifier: Apache-2.0
"""Downloads of single files: resumable, verified by their published checksums."""

from __future__ import annotations

import hashlib
import http.client
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from kws.errors import DataError, KwsError, os_reason
from kws.progress import progress_bar

_CHUNK = 1 << 20
_TIMEOUT_S = 30.0
_RETRIES = 5  # in a row without a single new byte


@dataclass(frozen=True)
class RemoteFile:
    """A file on a server."""

    name: str
    """Name for the user."""

    url: str

    digest: str = ""
    """Hexadecimal; empty if none is published."""

    size: int | None = None
    """Bytes, if known in advance."""

    algorithm: str = "sha256"
    """The digest's algorithm, in hashlib's spelling."""


def fetch(remote: RemoteFile, part: Path, retry_wait_s: float = 2.0) -> None:
    """Download a file into `part`, resuming after the bytes already in it.

    Args:
        remote: the file to download.
        part: its destination, which keeps the bytes of an interrupted download.
        retry_wait_s: time between two attempts.

    Raises:
        DataError: the server is unreachable or refuses.
        KwsError: `part` could not be written.
    """
    failures = 0
    while True:
        before = part.stat().st_size if part.exists() else 0
        if remote.size is not None and before == remote.size:
            return
        try:
            if _transfer(remote, part, before):
                return
            problem = "the connection was lost"
        except urllib.error.HTTPError as error:
            if error.code < 500:
                raise DataError(
                    f"{remote.url}: the server answers {error.code} ({error.reason}); "
                    "check whether it has moved"
                ) from None
            problem = f"the server answers {error.code} ({error.reason})"
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            problem = str(getattr(reason, "strerror", None) or reason or type(error).__name__)
        after = part.stat().st_size if part.exists() else 0
        failures = 0 if after > before else failures + 1
        if failures >= _RETRIES:
            there = f" to resume after {after:,} bytes" if after else ""
            raise DataError(
                f"{remote.url}: {problem.lower()}; check the network and run the command again"
                f"{there}"
            )
        time.sleep(retry_wait_s)


def _transfer(remote: RemoteFile, part: Path, have: int) -> bool:
    """Request the missing bytes and append them; False if the connection broke."""
    request = urllib.request.Request(remote.url)  # noqa: S310 - of a table or a catalogue
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        response = urllib.request.urlopen(request, timeout=_TIMEOUT_S)  # noqa: S310
    except urllib.error.HTTPError as error:
        if error.code != http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE or not have:
            raise
        return True  # nothing is missing; the checksum decides
    with response:
        if response.status != http.HTTPStatus.PARTIAL_CONTENT:
            have = 0  # the server does not support ranges
        length = response.headers.get("Content-Length")
        total = have + int(length) if length and length.isdigit() else None
        with (
            open_file(part, "ab" if have else "wb") as file,
            progress_bar(remote.name, total or remote.size, unit="bytes") as advance,
        ):
            advance(have)
            while chunk := response.read(_CHUNK):
                _write(file, part, chunk)
                have += len(chunk)
                advance(len(chunk))
    return total is None or have >= total


def check(remote: RemoteFile, part: Path) -> None:
    """Verify a file's checksum, and remove the file if it differs.

    Raises:
        DataError: the checksum differs.
        KwsError: `part` could not be read.
    """
    if not remote.digest:
        return
    digest = hashlib.new(remote.algorithm, usedforsecurity=False)
    with (
        open_file(part, "rb") as file,
        progress_bar("checking", part.stat().st_size, unit="bytes") as advance,
    ):
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            advance(len(chunk))
    if digest.hexdigest() != remote.digest:
        part.unlink(missing_ok=True)
        kind = "SHA-256" if remote.algorithm == "sha256" else remote.algorithm.upper()
        raise DataError(
            f"{remote.url}: the file is not {remote.name} (its {kind} differs) and was removed; "
            "run the command again"
        )


def open_file(path: Path, mode: str) -> IO[bytes]:
    """Open a file of bytes.

    Raises:
        KwsError: it cannot be opened.
    """
    try:
        return path.open(mode)
    except OSError as error:
        raise KwsError(_cannot_write(path, error)) from None


def _write(file: IO[bytes], path: Path, chunk: bytes) -> None:
    try:
        file.write(chunk)
        file.flush()
    except OSError as error:
        raise KwsError(_cannot_write(path, error)) from None


def _cannot_write(path: Path, error: Exception) -> str:
    return (
        f"{path}: cannot be written ({os_reason(error)}); free some disk space and run the "
        "command again"
    )
