# SPDX-License-Identifier: Apache-2.0
"""Hours of lively talk from adventure games in Debian, as a folder for `--negatives`.

    python talk.py OUT [SHARE]

The lines of the installed games are written to OUT as 16 kHz WAV files, with the transcripts in
manifest.csv. SHARE is the folder of Debian's shared data, /usr/share.
"""

import csv
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from kws.audio.resampling import Resampler
from kws.audio.sound_files import load_clip, write_clip
from kws.errors import AudioError

DRASCULA = "scummvm/drascula/en"  # package drascula; English
FISH = "games/fillets-ng"  # packages fillets-ng-data, fillets-ng-data-cs and -nl; Czech and Dutch
WITH_A_KEYWORD = Path(__file__).with_name("drascula_with_a_keyword.txt")

# Words of the fish that sound like yes, no, up, on, off, stop or go.
SOUND_ALIKES = {
    "cs": {"go", "jes", "no", "off", "on", "stop", "up"},
    "nl": {"go", "no", "nou", "of", "on", "stop", "up", "yes"},
}
DIALOG = re.compile(r'dialogId\("([^"]+)",\s*"[^"]*",\s*".*?"\)\s*dialogStr\("(.*?)"\)')


def main() -> None:
    """Write the lines of all installed games."""
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: python talk.py OUT [SHARE]")
    out = Path(sys.argv[1])
    share = Path(sys.argv[2] if len(sys.argv) > 2 else "/usr/share")
    rows = [*drascula(share / DRASCULA, out), *fish(share / FISH, out)]
    if not rows:
        sys.exit(f"{share}: no game's lines; sudo apt-get install drascula fillets-ng-data-cs")
    with (out / "manifest.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("file", "kind", "split", "speaker_or_group", "transcript"))
        writer.writerows((name, "speech", "train", Path(name).parent, text) for name, text in rows)
    print(f"{len(rows)} lines in {out}")


def drascula(folder: Path, out: Path) -> Iterator[tuple[str, str]]:
    """Names of the lines without a keyword, with empty transcripts. 8-bit samples at 11,025 Hz."""
    left_out = set(WITH_A_KEYWORD.read_text(encoding="utf-8").split())
    for path in sorted(folder.glob("*.ALS")):
        if path.stem not in left_out:
            samples = np.frombuffer(path.read_bytes(), np.uint8)[:, None] / np.float32(128) - 1
            pcm = Resampler(11025).feed(samples.astype(np.float32), last=True)
            yield written(out, f"drascula/{path.stem}.wav", pcm), ""


def fish(folder: Path, out: Path) -> Iterator[tuple[str, str]]:
    """Names and transcripts of the lines without a word that sounds like a keyword."""
    for language, words in SOUND_ALIKES.items():
        texts = {
            (path.parent.name, name): text
            for path in sorted((folder / "script").rglob(f"dialogs_{language}.lua"))
            for name, text in DIALOG.findall(path.read_text(encoding="utf-8"))
        }
        for path in sorted((folder / "sound").rglob(f"{language}/*.ogg")):
            level = path.parents[1].name
            text = texts.get((level, path.stem))
            if text is None or words & set(re.findall(r"\w+", text.lower())):
                continue
            try:
                pcm = load_clip(path)
            except AudioError:  # a few are empty
                continue
            yield written(out, f"fish_{language}/{level}_{path.stem}.wav", pcm), text


def written(out: Path, name: str, pcm: np.ndarray) -> str:
    """Write a recording and return its name."""
    (out / name).parent.mkdir(parents=True, exist_ok=True)
    write_clip(out / name, pcm)
    return name


if __name__ == "__main__":
    main()
