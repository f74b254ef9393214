# SPDX-License-Identifier: Apache-2.0
"""`kws listen` with a microphone of a local sound server."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kws.audio.sound_files import load_clip
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.host.emulate import host_device
from tests.host.live.listening import CLIPS, NO, YES, Listening, say, wait_for
from tests.host.rooms import between_silence
from tests.sound_server import DEVICE, SoundServer


@pytest.fixture
def listening(sound_server: SoundServer) -> Iterator[Listening]:
    """`kws listen` on the server's microphone."""
    with Listening("--device", DEVICE, env=sound_server.environment) as program:
        program.until(f"listening to {DEVICE}", "stderr")
        time.sleep(1)  # no word is reported in the first second
        yield program
        assert program.process.poll() is None, "the program ended"


def test_words_from_the_microphone_are_reported(
    sound_server: SoundServer, listening: Listening
) -> None:
    boot, _ = listening.until("kws ")
    assert boot.startswith("kws 0.1.0 on host, model yes_no")
    for clip, word in ((YES, "yes"), (NO, "no"), (CLIPS / "yes_rob.flac", "yes")):
        line, _ = say(sound_server, listening, clip)
        assert line.startswith(f"Heard {word} ")
    assert not listening.rest("stderr")


@pytest.mark.slow
def test_listening_continues_after_the_microphone_is_replugged(
    sound_server: SoundServer, listening: Listening
) -> None:
    for _ in range(2):
        sound_server.unplug()
        listening.until("is disconnected; plug it in again", "stderr")
        sound_server.plug()
        listening.until(f"listening to {DEVICE}", "stderr")
        time.sleep(1)
        assert "Heard yes" in say(sound_server, listening, YES)[0]


@pytest.mark.parametrize("pause", [0, 0.05, 0.1, 0.2])
def test_ctrl_c_works_if_the_microphone_disappears_while_opening(
    sound_server: SoundServer, pause: float
) -> None:
    """PortAudio may hang: while stopping, or in a thread that the exit waits for."""
    sound_server.plug()
    with Listening("--device", DEVICE, "--plain", env=sound_server.environment) as program:
        maps = Path(f"/proc/{program.process.pid}/maps")
        wait_for(lambda: "libasound" in maps.read_text())
        time.sleep(pause)
        sound_server.unplug()
        time.sleep(0.5)
    assert program.process.returncode in (0, 1)
    sound_server.plug()


@pytest.mark.slow
def test_listening_waits_for_a_sound_server_and_for_the_next(
    tmp_path: Path, sound_server: SoundServer
) -> None:
    own = SoundServer(tmp_path)
    with Listening("--device", DEVICE, env=own.environment) as program:
        line, _ = program.until("microphone", "stderr")
        assert "kws waits for it" in line
        for _ in range(2):
            own.start()
            own.plug()
            program.until("listening to", "stderr")
            time.sleep(1)
            assert "Heard yes" in say(own, program, YES)[0]
            own.stop()
            program.until("is disconnected", "stderr")
        assert len(program.rest("stderr")) <= 2, "a line per change, not per attempt"


@pytest.mark.slow
def test_the_delay_is_short(
    sound_server: SoundServer, listening: Listening, bundle: Bundle
) -> None:
    """Less than 250 ms after the host's report time.

    The minimum of several runs, because the machine may be busy.
    """
    late = []
    for clip in [YES, NO] * 2:
        rule = (
            host_device.play(Device(bundle), between_silence(load_clip(clip))).heard[0].time_ms
            / 1000
        )
        # This includes the start of the player.
        late.append(say(sound_server, listening, clip)[1] - rule)
    assert min(late) < 0.25, late


@pytest.mark.slow
def test_listening_uses_less_than_a_tenth_of_a_core(listening: Listening) -> None:
    psutil = pytest.importorskip("psutil")
    process = psutil.Process(listening.process.pid)

    def used() -> float:
        times = process.cpu_times()
        return float(times.user + times.system)

    shares = []
    for _ in range(4):  # the minimum of several runs, because the machine may be busy
        before, start = used(), time.monotonic()
        time.sleep(1.5)
        shares.append((used() - before) / (time.monotonic() - start))
    assert min(shares) < 0.1, shares
