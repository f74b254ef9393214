# SPDX-License-Identifier: Apache-2.0
"""`kws export web --compiled`: a core with built-in models is bit-identical to the host."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kws.audio.sound_files import load_clip
from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.device import Device, with_commands
from kws.bundle.reading import load_bundle
from kws.host.emulate import host_device
from kws.host.web.export import export_page
from kws.host.web.site_files import MODEL
from tests.host.web.exported_page import Open, check_same, lines, play, trace

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(
        shutil.which("em++") is None, reason="emscripten is not installed (make wasm installs it)"
    ),
]


def built_in(name: str) -> Bundle:
    return load_bundle(default_bundle_path().with_name(name))


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
@pytest.mark.parametrize("looks", [True, False])
@pytest.mark.parametrize("name", ["yes_no", "tiny"])
def test_scores_equal_the_hosts(
    name: str, looks: bool, wavs: dict[str, Path], tmp_path: Path
) -> None:
    bundle, clips = built_in(name), list(wavs.values())
    if not looks:
        bundle = bundle.without_second_look()
    export_page(Device(bundle), tmp_path / "page", compiled=True)
    models = '["", ""]' if looks else '[""]'
    assert f"KWS_MODELS = {models}" in (tmp_path / "page" / MODEL).read_text()
    said = trace(tmp_path / "page", clips)
    look = bundle.second_look
    used = max(bundle.program.arena_bytes, look.program.arena_bytes if look else 0)
    interpreted = Device(bundle).host_arena_bytes
    assert used < interpreted
    arena = f"arena {used} of {Device(bundle).as_compiled().arena_bytes} bytes"
    assert arena in said["boot"]
    said["boot"] = said["boot"].replace(arena, f"arena {interpreted} of {interpreted} bytes")
    assert check_same(bundle, said, clips) >= 4


@pytest.mark.browser
def test_commands_after_a_wake_word_in_the_browser(
    open_page: Open, wavs: dict[str, Path], tmp_path: Path
) -> None:
    bundle = with_commands(built_in("yes_no"), built_in("tiny"), 2500)
    export_page(bundle, tmp_path / "page", compiled=True)
    page = open_page(url=(tmp_path / "page" / "index.html").as_uri())
    play(page, wavs["spoken"])
    pcm = host_device.with_room(bundle, load_clip(wavs["spoken"]))
    said = host_device.play(bundle, pcm).text.splitlines()
    boots = [line for line in said if line.startswith(("kws ", "then model"))]
    assert lines(page)[len(boots) :] == ["spoken.wav:", *said[len(boots) :]]
    assert any(line.startswith("Listening for commands") for line in said)
