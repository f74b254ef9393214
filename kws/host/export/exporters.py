# SPDX-License-Identifier: Apache-2.0
"""All exporters: build systems and platforms that a bundle can be written for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from kws.bundle.bundle import Bundle
from kws.bundle.library import identifier
from kws.errors import UsageError
from kws.files import new_directory
from kws.host.export import arduino, cmake, esp_idf, esphome, platformio, tflm, zephyr

_LIST = ".kws-export"
"""File in each export with the paths of the others, one per line."""


@dataclass(frozen=True)
class Exporter:
    """A build system or a platform."""

    files: Callable[[Bundle], Mapping[str, str | bytes]]
    """The folder's files: text, or the bytes of a binary file, by path."""
    next: str
    """The next step for the user; {out}, {name} and {library} stand for the folder, the bundle's
    identifier and its library."""

    removes_noise: bool = False
    """Whether its frontend is TFLM's, which removes noise."""


EXPORTERS = {
    "arduino": Exporter(arduino.files, arduino.NEXT),
    "cmake": Exporter(cmake.files, cmake.NEXT),
    "esp-idf": Exporter(esp_idf.files, esp_idf.NEXT),
    "esphome": Exporter(esphome.files, esphome.NEXT, removes_noise=True),
    "platformio": Exporter(platformio.files, platformio.NEXT),
    "tflm": Exporter(tflm.files, tflm.NEXT, removes_noise=True),
    "zephyr": Exporter(zephyr.files, zephyr.NEXT),
}
"""By the word after `kws export`."""


def export(kind: str, bundle: Bundle, out: Path) -> str:
    """Write the folder; an earlier export is replaced, or unchanged after an error.

    Returns:
        The next step for the user, in a line.

    Raises:
        UsageError: `out` is a file, or a folder with a file that is not from an export; or the
            platform's frontend cannot compute the bundle's features.
        KwsError: it could not be written.
    """
    exporter = EXPORTERS[kind]
    if exporter.removes_noise and bundle.frontend.keep_noise:
        raise UsageError(
            f"{bundle.path or bundle.name}: its features keep the noise, and {kind} has only "
            "TensorFlow's, which remove it; train the model with --set keep_noise=false"
        )
    _check_destination(out)
    files = exporter.files(bundle)
    with new_directory(out) as folder:
        for name, content in {**files, _LIST: "\n".join(files)}.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
    name = identifier(bundle)
    return exporter.next.format(out=out, name=name, library=arduino.library_name(bundle))


def _check_destination(out: Path) -> None:
    """Refuse to replace a folder that contains a user's own files."""
    if out.is_file():
        raise UsageError(f"{out} is a file, not a folder")
    if not out.is_dir():
        return
    written = out / _LIST
    own = {_LIST, *(written.read_text(encoding="utf-8").splitlines() if written.is_file() else ())}
    for file in sorted(out.rglob("*")):
        if not file.is_dir() and file.relative_to(out).as_posix() not in own:
            raise UsageError(f"{file} is not from kws export; export to another folder")
