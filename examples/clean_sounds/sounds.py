# SPDX-License-Identifier: Apache-2.0
"""Noise, music and talk under permissive licences, from Debian packages and your clones.

    python sounds.py OUT [--root DIR] [--clones DIR]

Writes OUT/noise, OUT/music and OUT/talk as 16 kHz WAV files, each with a manifest.csv for kws and
a licences.csv with source, version, original file and licence of each file. The files are listed in
sounds.csv: the first row that matches a file decides, and a row without a licence leaves it out.
"""

import argparse
import csv
import functools
import hashlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from kws.audio.resampling import Resampler
from kws.audio.sound_files import load_clip, write_clip
from kws.errors import AudioError

TABLE = Path(__file__).with_name("sounds.csv")

SHORT = 6 * 16000
"""Shorter noises and tunes of a source are joined, because training draws files equally often."""

PAUSE = np.zeros(3200, np.int16)

SOUND_FONT = "usr/share/sounds/sf2/FluidR3_GM.sf2"  # package fluid-soundfont-gm, MIT
MIDI_RATE = 22050
MIDI_SECONDS = 100

# Words that sound like one of ten_words and are spelled differently. Learners of English say "now"
# like "no": pocketsphinx, which may choose between the two, takes "no" in 30 of 119 sentences.
SOUND_ALIKES = {
    "festvox-ru": {"но", "он", "стоп"},
    "jimbozhang/speechocean762": {"now"},
    "rhasspy/dataset-voice-kerstin": {"ab", "an", "na", "ob", "so", "wo"},
}
ONLY_SPEAKERS = {"nsh", "kerstin"}
"""The speakers of sources with one speaker. They are for training."""

FESTIVAL_LINE = re.compile(r'\(\s*(\S+)\s+"(.*?)"\s*\)')

Pcm = npt.NDArray[np.int16]


@dataclass(frozen=True)
class Row:
    """A row of sounds.csv, with the folder that its patterns start from."""

    source: str
    kind: str
    files: str
    licence: str
    base: Path

    @functools.cached_property
    def version(self) -> str:
        """Version of the installed package or commit of the clone."""
        command = ["dpkg-query", "-W", "-f", "${Version}", self.source]
        if "/" in self.source:
            command = ["git", "-C", str(self.base), "rev-parse", "HEAD"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            return "unknown"
        return done.stdout.strip()


@dataclass(frozen=True)
class Sound:
    """A recording. `speaker` is a speaker, or a name that recordings of one thing share."""

    row: Row
    original: str
    speaker: str
    pcm: Pcm
    transcript: str = ""

    @property
    def split(self) -> str:
        """About 70 % of the speakers train, 15 % validate and 15 % test."""
        if self.speaker in ONLY_SPEAKERS:
            return "train"
        draw = hashlib.sha256(f"{self.row.source}/{self.speaker}".encode()).digest()[0] / 256
        return "train" if draw < 0.7 else "validation" if draw < 0.85 else "test"


def main() -> None:
    """Write the sounds of all installed packages and clones."""
    parser = argparse.ArgumentParser(description="Write noise, music and talk for kws train.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--root", type=Path, default=Path("/"), help="where packages are installed")
    parser.add_argument(
        "--clones", type=Path, help="folder of clones; OWNER/NAME is its folder NAME"
    )
    options = parser.parse_args()
    rows = read_table(options.root, options.clones)
    by_kind: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_kind[row.kind].append(row)
    written = {
        kind: write(options.out / kind, sounds(of_kind, rows)) for kind, of_kind in by_kind.items()
    }
    if not any(written.values()):
        sys.exit(f"{options.root}: no sounds of sounds.csv; install packages as in README.md")
    for kind, count in written.items():
        print(f"{count} recordings in {options.out / kind}")


def read_table(root: Path, clones: Path | None) -> list[Row]:
    """The rows of packages, and of clones if there is a folder of clones."""
    rows = []
    with TABLE.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if "/" not in row["source"]:
                rows.append(Row(**row, base=root))
            elif clones:
                rows.append(Row(**row, base=clones / Path(row["source"]).name))
    return rows


def sounds(rows: list[Row], table: list[Row]) -> Iterator[Sound]:
    """The recordings of rows of one kind, without files that earlier rows of the table decide."""
    for row in rows:
        decided: set[Path] = set()
        for other in table[: table.index(row)]:
            if other.source == row.source and not other.files.endswith(".wad"):
                decided.update(other.base.glob(other.files))
        paths = sorted(set(row.base.glob(row.files)) - decided) if row.licence else []
        texts = transcripts(row) if paths else {}
        for path in paths:
            original = path.relative_to(row.base).as_posix()
            if path.suffix == ".wad":
                for name, pcm in lumps(path, row.kind, row.base / SOUND_FONT):
                    yield Sound(row, f"{original}: {name}", name, pcm)
                continue
            speaker, text = texts.get(path.stem, (re.sub(r"[ _-]*\d*~?$", "", path.stem), ""))
            said = set(re.findall(r"\w+", text.lower()))
            if row.kind == "talk" and (not text or said & SOUND_ALIKES.get(row.source, set())):
                continue
            try:
                yield Sound(row, original, speaker, load_clip(path), text)
            except AudioError as error:
                print(f"left out: {error}", file=sys.stderr)


def transcripts(row: Row) -> dict[str, tuple[str, str]]:
    """Speaker and text of the recordings of talk, by file name without its ending."""
    if row.source == "festvox-ru":
        voice = row.base / "usr/share/festival/voices/russian/msu_ru_nsh_clunits"
        text = (voice / "etc" / "txt.done.data").read_text(encoding="utf-8")
        return {name: ("nsh", said.replace("+", "")) for name, said in FESTIVAL_LINE.findall(text)}
    if row.source == "rhasspy/dataset-voice-kerstin":
        lines = (row.base / "verified" / "metadata.csv").read_text(encoding="utf-8").splitlines()
        return {name: ("kerstin", said) for name, said in (line.split("|")[:2] for line in lines)}
    if row.source == "jimbozhang/speechocean762":
        texts = {}
        for part in (row.base / "train", row.base / "test"):
            speakers = dict(line.split() for line in (part / "utt2spk").read_text().splitlines())
            for line in (part / "text").read_text(encoding="utf-8").splitlines():
                name, said = line.split("\t")
                texts[name] = (speakers[name], said.lower())
        return texts
    return {}


def lumps(wad: Path, kind: str, font: Path) -> Iterator[tuple[str, Pcm]]:
    """Effects (8-bit samples) or music (MIDI) in the archive of a Doom game, by name.

    Music needs fluidsynth and its sound font.
    """
    can_play = font.is_file() and shutil.which("fluidsynth") is not None
    data = wad.read_bytes()
    count, directory = struct.unpack_from("<II", data, 4)
    for entry in range(count):
        start, size, name = struct.unpack_from("<II8s", data, directory + 16 * entry)
        lump, name = data[start : start + size], name.rstrip(b"\0").decode("latin-1")
        if kind == "noise" and name.startswith("DS") and lump[:2] == b"\x03\0":
            rate, length = struct.unpack_from("<HI", lump, 2)
            samples = np.frombuffer(lump[24 : 8 + length - 16], np.uint8)  # 16 at each end pad
            if len(samples):
                floats = samples.astype(np.float32)[:, None] / np.float32(128) - 1
                yield name, Resampler(rate).feed(floats, last=True)
        elif kind == "music" and lump[:4] == b"MThd" and can_play:
            yield name, played(lump, font)


def played(midi: bytes, font: Path) -> Pcm:
    """The first part of a MIDI file, as fluidsynth plays it."""
    with tempfile.NamedTemporaryFile(suffix=".mid") as file:
        file.write(midi)
        file.flush()
        options = ("-niq", "-g", "0.6", "-R", "0", "-C", "0", "-r", str(MIDI_RATE), "-T", "raw")
        with subprocess.Popen(
            ["fluidsynth", *options, "-F", "-", str(font), file.name],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as player:
            raw = player.stdout.read(4 * MIDI_RATE * MIDI_SECONDS) if player.stdout else b""
            player.kill()
    stereo = np.frombuffer(raw[: len(raw) // 4 * 4], "<i2").reshape(-1, 2)
    mono = stereo.mean(axis=1, dtype=np.float32, keepdims=True) / 32768
    return Resampler(MIDI_RATE).feed(mono, last=True)


def write(folder: Path, recordings: Iterator[Sound]) -> int:
    """Write recordings, short ones joined, with their tables. Returns the number of recordings."""
    manifest: list[tuple[str, str, str, str, str]] = []
    licences: list[tuple[str, str, str, str, str]] = []
    short: dict[tuple[str, str], list[Sound]] = defaultdict(list)

    def add(name: str, parts: list[Sound], speaker: str) -> None:
        first = parts[0]
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        joined = [pcm for part in parts for pcm in (part.pcm, PAUSE)][:-1]
        write_clip(folder / name, np.concatenate(joined))
        kind = "speech" if first.row.kind == "talk" else "noise"
        manifest.append((name, kind, first.split, speaker, first.transcript))
        licences.extend(
            (name, part.row.source, part.row.version, part.original, part.row.licence)
            for part in parts
        )

    for sound in recordings:
        source = re.sub(r"\W+", "_", sound.row.source)
        if len(sound.pcm) < SHORT and sound.row.kind != "talk":
            short[source, sound.split].append(sound)
        else:
            stem = re.sub(r"\W+", "_", re.sub(r"\.\w+$", "", sound.original)).strip("_")
            add(f"{source}/{stem}.wav", [sound], f"{source}/{sound.speaker}")
    for (source, split), parts in short.items():
        add(f"{source}/short_{split}.wav", parts, f"{source}/short_{split}")
    if manifest:
        columns = ("file", "kind", "split", "speaker_or_group", "transcript")
        write_table(folder / "manifest.csv", columns, manifest)
        columns = ("file", "source", "version", "original", "licence")
        write_table(folder / "licences.csv", columns, licences)
    return len(licences)


def write_table(
    path: Path, columns: tuple[str, ...], rows: list[tuple[str, str, str, str, str]]
) -> None:
    """Write rows as CSV."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])


if __name__ == "__main__":
    main()
