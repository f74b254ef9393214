"""A board as the microphone of `kws listen` and `kws record`, also unplugged and replugged."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from kws.audio.capture.blocks import Notice
from kws.audio.pcm import Pcm
from kws.audio.sound_files import load_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.device import Device
from kws.bundle.reading import load_bundle
from kws.host.deploy.board_finder import BoardFinder
from kws.host.deploy.nano33ble import Nano33Ble
from kws.host.emulate import host_device
from kws.host.emulate.recordings import default_matrix
from kws.host.live.board_microphone import BoardMicrophone
from tests.host.rooms import between_silence
from tests.host.serial.sounding_board import SoundingBoard

SOUND = np.random.default_rng(1).integers(-3000, 3000, 8000).astype(np.int16)


def microphone(board: SoundingBoard, sha8: str | None = None) -> BoardMicrophone:
    return BoardMicrophone(BoardFinder((Nano33Ble(),), None, lister=board.lister), sha8)


def yes() -> Pcm:
    return between_silence(load_clip(default_matrix() / "yes_slt.flac"))


def test_sound_continues_after_replugging() -> None:
    with SoundingBoard(SOUND) as board:
        blocks = microphone(board).blocks()
        notices: list[Notice] = []
        parts: list[list[Pcm]] = [[]]
        for item in blocks:
            if isinstance(item, Notice):
                notices.append(item)
                if not item.connected:
                    board.plug()
                    parts.append([])
            elif len(item.pcm):
                parts[-1].append(item.pcm)
                if sum(map(len, parts[-1])) > 4000:
                    if len(parts) == 2:
                        break
                    board.unplug()
        blocks.close()
        time.sleep(0.3)
    for part in parts:
        sound = np.concatenate(part)
        assert np.array_equal(sound, SOUND[: len(sound)])
    assert [notice.connected for notice in notices] == [True, False, True]
    assert notices[0].text.startswith("listening to the microphone of nano33ble at /dev/")
    assert "the board disconnected; waiting for it to reconnect" in notices[1].text
    assert board.typed == ["pcm 10", "pcm 10", "pcm 0"]


def test_lost_samples_and_another_model_are_reported() -> None:
    texts = []
    with SoundingBoard(
        SOUND, spoil=lambda index, line: "" if index == 640 else line, real_time=False
    ) as board:
        for item in microphone(board, "0123abcd").blocks():
            if isinstance(item, Notice):
                texts.append(item.text)
            if len(texts) == 3:
                break
    assert "it runs another model, yes_no" in texts[0]
    assert texts[1].endswith("64 samples were lost in transfer") or "listening" in texts[1]


def command(*arguments: object) -> subprocess.Popen[str]:
    program = "import sys; from kws.cli.main import main; sys.argv[0] = 'kws'; main()"
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )


def test_listen_prints_the_hosts_lines_and_continues_after_replugging(tmp_path: Path) -> None:
    pcm = yes()
    bundle = load_bundle(default_bundle_path())
    host = [vars(word) for word in host_device.play(Device(bundle), pcm).heard]
    name = tmp_path / "port"
    with SoundingBoard(pcm) as board:
        name.symlink_to(board.device)
        with command("listen", "--port", name, "--json") as process:
            try:
                assert process.stdout
                boot, heard = (json.loads(process.stdout.readline()) for _ in range(2))
                assert boot["kind"] == "boot"
                assert [{key: heard[key] for key in host[0]}] == host
                name.unlink()
                board.unplug()
                board.plug()
                name.symlink_to(board.device)
                again = json.loads(process.stdout.readline())
                assert again["label"] == host[0]["label"]
                process.send_signal(signal.SIGINT)
                _, err = process.communicate(timeout=20)
            finally:
                process.kill()
    assert process.returncode == 0
    assert [line.partition(": ")[2] for line in err.splitlines() if "disconnected" in line]
    assert board.typed[-1] == "pcm 0"


def test_record_saves_words_from_the_board(tmp_path: Path) -> None:
    clip = load_clip(default_matrix() / "yes_slt.flac")
    quiet = np.random.default_rng(2).normal(0, 20, 8000).astype(np.int16)
    with SoundingBoard(np.concatenate([quiet, clip, quiet])) as board:
        process = command(
            *("record", "--words", "yes", "--takes", 1, "--out", tmp_path / "data"),
            *("--port", board.device),
        )
        _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    (made,) = (tmp_path / "data" / "yes").glob("*.wav")
    assert np.abs(load_clip(made).astype(int)).max() == np.abs(clip.astype(int)).max()
