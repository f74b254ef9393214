# SPDX-License-Identifier: Apache-2.0
"""Words that were nearly heard, by the core on recordings; near_misses_test.cc has the rule."""

from __future__ import annotations

import numpy as np
import pytest

from kws.audio.background_noises import quiet_room
from kws.audio.capture.blocks import Block
from kws.audio.pcm import Pcm
from kws.audio.sound_files import load_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device
from kws.bundle.reading import load_bundle
from kws.host.emulate.recordings import default_matrix
from kws.host.live.listener import Hop, Listener, NearMiss
from kws.host.serial.lines import Heard

NAMES = ("yes_annie", "go_travis", "yes_slt", "no_michael", "yes_annie", "no_rms", "left_slt")


@pytest.fixture(scope="module")
def speech() -> Pcm:
    clips = [load_clip(default_matrix() / f"{name}.flac") for name in NAMES]
    rooms = quiet_room(12_000), quiet_room(16_000)
    return np.concatenate([part for clip in clips for part in (rooms[0], clip, rooms[1])])


def hear(device: Device, pcm: Pcm) -> tuple[list[Hop], list[Heard], list[NearMiss]]:
    """Hops, detections and near misses."""
    listener = Listener(device)
    events = list(listener.hear(Block(pcm)))
    hops = [event for event in events if isinstance(event, Hop)]
    lines = [event.line for event in events if not isinstance(event, Hop)]
    misses = [miss for hop in hops for miss in hop.near_misses]
    return hops, [it for it in lines if isinstance(it, Heard)], [*misses, *listener.end()]


@pytest.mark.parametrize("looks", [True, False], ids=["second look", "one model"])
def test_words_below_a_high_threshold_are_nearly_heard(
    looks: bool, tiny: Bundle, speech: Pcm
) -> None:
    device = Device(tiny.with_thresholds((255, 255, 240, 240)))
    if not looks:
        device = device.without_second_looks()
        device = Device(device.bundle.with_thresholds((255, 255, 240, 232)))
    hops, heard, misses = hear(device, speech)
    assert misses
    assert {miss.label for miss in misses} <= {"yes", "no"}
    for miss in misses:
        hop = hops[miss.time_ms // 20 - 1]
        label = device.labels.index(miss.label)
        assert miss.score == (hop.looked if looks else hop.means)[label]
        assert miss.threshold / 2 <= miss.score <= miss.threshold
        apart = [abs(it.time_ms - miss.time_ms) for it in heard if it.label == miss.label]
        assert all(ms >= 1500 for ms in apart)


def test_what_is_heard_is_not_nearly_heard(bundle: Bundle, speech: Pcm) -> None:
    _, heard, misses = hear(Device(bundle), speech)
    times = [it.time_ms for it in heard]
    assert [it.label for it in heard].count("yes") == 3
    assert not [it for it in misses if any(abs(it.time_ms - ms) < 1000 for ms in times)]


def test_a_word_that_is_off_is_never_nearly_heard(bundle: Bundle, speech: Pcm) -> None:
    off = Device(bundle.with_thresholds((255,) * 4))
    assert hear(off, speech)[1:] == ([], [])


def test_the_end_of_the_sound_makes_near_misses_certain(bundle: Bundle) -> None:
    clip = load_clip(default_matrix() / "yes_annie.flac")
    pcm = np.concatenate([quiet_room(24_000), clip, quiet_room(4_000)])
    device = Device(bundle.with_thresholds((255, 255, 254, 254)))
    hops, _, misses = hear(device, pcm)
    assert [miss.label for miss in misses] == ["yes"]
    assert not any(hop.near_misses for hop in hops)


def test_the_label_of_a_second_bundle_is_its_own(bundle: Bundle) -> None:
    """After *yes*, a command whose threshold is too high."""
    ten_words = load_bundle(default_bundle_path().with_name("ten_words"))
    silent = ten_words.with_thresholds((254,) * len(ten_words.labels))
    device = Device(bundle, silent, 4000)
    clips = [load_clip(default_matrix() / f"{name}.flac") for name in ("yes_annie", "stop_slt")]
    room = quiet_room(24_000)
    _, heard, misses = hear(device, np.concatenate([room, clips[0], room, clips[1], room, room]))
    assert [it.label for it in heard] == ["yes"]
    assert [miss.label for miss in misses] == ["stop"]
    assert all(miss.threshold == 254 for miss in misses)
