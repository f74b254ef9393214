# SPDX-License-Identifier: Apache-2.0
"""All exporters: build systems that a bundle can be written for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kws.bundle.bundle import Bundle
from kws.bundle.library import identifier
from kws.errors import UsageError
from kws.files import new_directory
from kws.host.export import arduino, cmake, platformio


@dataclass(frozen=True)
class Exporter:
    """A build system."""

    files: Callable[[Bundle], dict[str, str]]
    """The folder's files: text by path."""
    next: str
    """What to do with the folder; {out}, {name}, {library} stand for the folder, the bundle's
    identifier and its library."""
    marker: str
    """A file of each such folder."""


EXPORTERS = {
    "arduino": Exporter(arduino.files, arduino.NEXT, "library.properties"),
    "cmake": Exporter(cmake.files, cmake.NEXT, "CMakeLists.txt"),
    "platformio": Exporter(platformio.files, platformio.NEXT, "library.json"),
}
"""By the word after `kws export`."""


def export(kind: str, bundle: Bundle, out: Path) -> str:
    """Write the folder; an earlier export is replaced, or unchanged after an error.

    Returns:
        What to do next, in a line.

    Raises:
        UsageError: `out` is a file, or a folder with files but without such an export.
        KwsError: it could not be written.
    """
    exporter = EXPORTERS[kind]
    if out.is_file():
        raise UsageError(f"{out} is a file, not a folder")
    if out.is_dir() and any(out.iterdir()) and not (out / exporter.marker).is_file():
        raise UsageError(f"{out} is not empty, and nothing in it is from kws export {kind}")
    with new_directory(out) as folder:
        for name, text in exporter.files(bundle).items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    name = identifier(bundle)
    return exporter.next.format(out=out, name=name, library=arduino.library_name(bundle))
