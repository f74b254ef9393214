# SPDX-License-Identifier: Apache-2.0
"""Files that exports share: the core, and the bundle's card and licences."""

from __future__ import annotations

from pathlib import Path

from kws.bundle.bundle import Bundle
from kws.bundle.licences import NAME, TEXT, YES, Item, licences_of
from kws.host.build.boards import firmware_folder

# Sketches cannot set compiler options for single files. The kernels' loops and the frontend
# determine the speed, so these files set the optimization themselves.
_FAST = '#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC optimize("O2")\n#endif\n'


def core_files(*, fast: bool = False) -> dict[str, str]:
    """The core's sources by path, such as `kws/spotter.h`.

    Args:
        fast: add a pragma for -O2 to the time-critical files, for build systems without options
            per file.
    """
    files = _sources(firmware_folder() / "src", "kws/**/*")
    if fast:
        for name in filter(_is_critical, files):
            files[name] = _FAST + files[name]
    return files


def tflm_files() -> dict[str, str]:
    """TFLM's interface over the core, by path, such as `TensorFlowLite.h`."""
    return _sources(firmware_folder() / "tflm", "**/*")


def bundle_texts(bundle: Bundle, *, core: bool = True) -> dict[str, str]:
    """The bundle's card, if it has one, and its licences, by name.

    Args:
        bundle: the bundle.
        core: whether the export contains the core.
    """
    card = bundle.path / "README.md" if bundle.path else None
    own = {"MODEL.md": card.read_text(encoding="utf-8")} if card and card.is_file() else {}
    return {**own, "LICENCES.md": _licences(bundle, core=core)}


def _sources(folder: Path, pattern: str) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.glob(pattern))
        if path.suffix in {".h", ".cc", ".inc"}
    }


def _licences(bundle: Bundle, *, core: bool) -> str:
    own = [Item("kws/", "Apache-2.0", YES, (NAME, TEXT))] if core else []
    items = [*own, *licences_of(bundle)]
    rows = "\n".join(
        f"| {item.part} | {item.licence} | {item.sale} | {'; '.join(item.must)} |" for item in items
    )
    return f"""\
# Licences

| part | licence | may be sold | you must |
|---|---|---|---|
{rows}

Data: {bundle.all_data or "not recorded"}

Only licences that the text above names are listed. This is not legal advice.
"""


def _is_critical(name: str) -> bool:
    return name.endswith("_loops.cc") or (name.startswith("kws/frontend/") and name.endswith(".cc"))
