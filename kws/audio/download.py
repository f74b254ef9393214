# SPDX-License-Identifier: Apache-2.0
"""Download a public data set: resumable, verified by its published checksum, safely unpacked."""

from __future__ import annotations

import csv
import gzip
import shutil
import tarfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from kws.audio.dataset import hash_split
from kws.audio.layout.word_folders import BACKGROUND_FOLDER
from kws.audio.long_recordings import MANIFEST
from kws.errors import DataError, UsageError, did_you_mean
from kws.files import make_directory, new_directory
from kws.progress import progress_bar
from kws.transfer import RemoteFile, check, fetch, open_file

_CHUNK = 1 << 20


@dataclass(frozen=True)
class Archive:
    """A published data set: a .tar.gz of words or of talk."""

    name: str
    url: str
    sha256: str
    size: int | None
    """Bytes, if known in advance."""

    licence: str = "Creative Commons BY 4.0"
    talk: bool = False
    """Whether it has LibriSpeech's layout (talk) rather than Speech Commands' (words)."""

    @property
    def remote(self) -> RemoteFile:
        """The file to download."""
        return RemoteFile(self.name, self.url, self.sha256, self.size)

    def describe(self) -> str:
        """One line for the user: name, size, licence, address, checksum."""
        size = f"{self.size / 1e9:.2f} GB, " if self.size else ""
        return f"{self.name}: {size}licence {self.licence}, from {self.url}, SHA-256 {self.sha256}"


def _librispeech(part: str, hours: str, sha256: str, size: int | None) -> Archive:
    url = f"https://www.openslr.org/resources/12/{part}.tar.gz"
    return Archive(f"LibriSpeech {part}, {hours} hours", url, sha256, size, talk=True)


# Checksums as TensorFlow Datasets and torchaudio record them.
ARCHIVES = {
    ("speech_commands", "0.02"): Archive(
        "Speech Commands 0.02",
        "http://download.tensorflow.org/data/speech_commands_v0.02.tar.gz",
        "af14739ee7dc311471de98f5f9d2c9191b18aedfe957f4a6ff791c709868ff58",
        2_428_923_189,
    ),
    ("speech_commands", "0.01"): Archive(
        "Speech Commands 0.01",
        "http://download.tensorflow.org/data/speech_commands_v0.01.tar.gz",
        "743935421bb51cccdb6bdd152e04c5c70274e935c82119ad7faeec31780d811d",
        None,
    ),
    ("librispeech", "dev-clean"): _librispeech(
        "dev-clean",
        "5.4",
        "76f87d090650617fca0cac8f88b9416e0ebf80350acb97b343a85fa903728ab3",
        337_926_286,
    ),
    ("librispeech", "test-clean"): _librispeech(
        "test-clean",
        "5.4",
        "39fde525e59672dc6d1551919b1478f724438a95aa55f874b576be21967e6c23",
        346_663_984,
    ),
    ("librispeech", "train-clean-100"): _librispeech(
        "train-clean-100",
        "100",
        "d4ddd1d5a6ab303066f14971d768ee43278a5f2a0aa43dc716b0e64ecbbbf6e2",
        6_387_309_499,
    ),
}
"""Archives by name and version. The first version of a name is the default."""


def find_archive(name: str, version: str | None = None) -> Archive:
    """The archive with this name and version (None: the default version).

    Raises:
        UsageError: there is no such archive.
    """
    fitting = (a for (n, v), a in ARCHIVES.items() if n == name and version in {None, v})
    archive = next(fitting, None)
    if archive is None:
        known = ", ".join(f"{n} --version {v}" for n, v in ARCHIVES)
        of_version = f" of version {version!r}" if version else ""
        near = did_you_mean(name, {n for n, _ in ARCHIVES} - {name})
        raise UsageError(f"no data set {name!r}{of_version}{near}; choose from {known}")
    return archive


def download(archive: Archive, out: Path, retry_wait_s: float = 2.0) -> bool:
    """Download and unpack a data set into the new folder `out`.

    Talk gets a `manifest.csv` with speakers, splits and transcripts. An interrupted download
    stays in `<out>.tar.gz.part`, and the next call resumes it. `out` appears complete or not at
    all.

    Returns:
        False if `out` already holds a data set, which is left unchanged.

    Raises:
        UsageError: `out` exists and contains something else.
        DataError: the server is unreachable or refuses, or the file is not the archive.
        KwsError: a file could not be written.
    """
    done = out / (MANIFEST if archive.talk else BACKGROUND_FOLDER)
    if done.exists():
        return False
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise UsageError(f"{out}: exists and is not a data set; choose a new folder")
    make_directory(out.parent)
    part = out.with_name(out.name + ".tar.gz.part")
    fetch(archive.remote, part, retry_wait_s)
    check(archive.remote, part)
    with new_directory(out) as folder:
        _unpack(archive, part, folder)
    part.unlink(missing_ok=True)
    return True


def _unpack(archive: Archive, part: Path, folder: Path) -> None:
    """Unpack regular files only, and none outside `folder`."""
    talk = _Talk() if archive.talk else None
    try:
        with (
            open_file(part, "rb") as raw,
            tarfile.open(fileobj=raw, mode="r:gz") as tar,
            progress_bar("unpacking", part.stat().st_size, unit="bytes") as advance,
        ):
            seen = 0
            for member in tar:
                name = PurePosixPath(member.name)
                if member.isdir():
                    continue
                source = tar.extractfile(member) if member.isreg() else None
                if source is None or name.is_absolute() or ".." in name.parts:
                    raise DataError(
                        f"{archive.url}: contains {member.name!r}, which is unsafe; stopped"
                    )
                path = folder / (talk.place(name) if talk else name)
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("wb") as file:
                    shutil.copyfileobj(source, file, _CHUNK)
                if talk:
                    talk.add(path)
                advance(raw.tell() - seen)
                seen = raw.tell()
    except (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataError(
            f"{archive.url}: cannot be unpacked ({error}); run the command again"
        ) from None
    if talk:
        talk.write_manifest(archive, folder)


@dataclass
class _Talk:
    """LibriSpeech's layout, flattened: one folder per source, none per chapter."""

    files: list[Path] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    """Transcripts by recording name."""

    def place(self, name: PurePosixPath) -> PurePosixPath:
        """Destination of `LibriSpeech/dev-clean/84/121123/84-121123-0000.flac`."""
        return PurePosixPath(*name.parts[1:-3], name.name)

    def add(self, path: Path) -> None:
        """Register an unpacked file; a file of transcripts is read and removed."""
        if path.suffix == ".flac":
            self.files.append(path)
        elif path.name.endswith(".trans.txt"):
            for line in path.read_text(encoding="utf-8").splitlines():
                name, _, text = line.partition(" ")
                self.texts[name] = text
            path.unlink()

    def write_manifest(self, archive: Archive, folder: Path) -> None:
        missing = [path.name for path in self.files if path.stem not in self.texts]
        if missing or not self.files:
            lacks = f"no transcript of {missing[0]}" if missing else "no recordings"
            raise DataError(f"{archive.url}: contains {lacks}; it is not the expected data set")
        with (folder / MANIFEST).open("w", encoding="utf-8", newline="") as file:
            table = csv.writer(file)
            table.writerow(["file", "kind", "speaker_or_group", "split", "transcript"])
            for path in sorted(self.files):
                speaker = path.name.split("-")[0]
                split = hash_split(speaker)
                name = path.relative_to(folder).as_posix()
                table.writerow([name, "speech", speaker, split, self.texts[path.stem].lower()])
