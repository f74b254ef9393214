"""Fixtures shared by several tests."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.reading import load_bundle
from kws.host.build.programs import COMPILER, QEMU
from tests import markers
from tests.command_line import Run, runner
from tests.small_models import dense_model
from tests.sound_server import SoundServer, missing_programs

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Playwright

# No deadlines: on a busy machine, examples may take long.
settings.register_profile("kws", deadline=None, suppress_health_check=list(HealthCheck))
settings.load_profile("kws")

# As in kws.convert.backend, for tests that import TensorFlow themselves.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")


def pytest_configure(config: pytest.Config) -> None:
    # A shell starts background jobs with SIGINT ignored; the commands under test would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if markers.only_units(config):
        sys.meta_path.insert(0, markers.NoHeavyImports())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    unit = collection_path.suffix != ".py" or not markers.imports_tensorflow(collection_path)
    return True if markers.only_units(config) and not unit else None


@pytest.hookimpl(tryfirst=True)  # before -m selects tests
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    markers.mark(items)


SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


def _folder(name: str) -> Path:
    path = SHARED_DATA / name
    if not path.is_dir():
        pytest.skip(f"../shared/data/{name} is missing")
    return path


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder shared by the workers of this test run."""
    base = tmp_path_factory.getbasetemp()
    return base if worker_id == "master" else base.parent


@pytest.fixture(scope="session")
def made_once(shared_folder: Path) -> Callable[[str, Callable[[Path], object]], Path]:
    """Returns a folder of that name; the first worker that needs it fills it, others wait."""

    def made(name: str, make: Callable[[Path], object]) -> Path:
        folder, done = shared_folder / name, shared_folder / f".{name}.done"
        with (shared_folder / f".{name}.lock").open("w") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX)
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)  # left by a worker that failed
                folder.mkdir()
                make(folder)
                done.touch()
        return folder

    return made


@pytest.fixture(scope="session", autouse=True)
def cache(shared_folder: Path) -> Iterator[Path]:
    """Cache firmware in a folder of this test run, not in the user's cache."""
    folder = shared_folder / "kws-cache"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KWS_CACHE_DIR", str(folder))
        yield folder


@pytest.fixture(scope="session")
def board_tools() -> None:
    """Skip if the compiler or the emulator is missing."""
    for tool in (COMPILER, QEMU):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")


@pytest.fixture(scope="session")
def speech_commands() -> Path:
    """An excerpt of Speech Commands, or a skip."""
    return _folder("speech_commands")


@pytest.fixture(scope="session")
def tflm_data() -> Path:
    """TFLM's micro_speech clips, models and goldens, or a skip."""
    return _folder("tflm_micro_speech")


@contextlib.contextmanager
def _mounted(folder: Path, options: str) -> Iterator[Path]:
    """A file system in memory at a new folder, or a skip."""
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    try:
        mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    if not mounted:
        pytest.skip(f"a file system ({options}) could not be mounted here (needs root)")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[Path]:
    """A 256 KiB file system, or a skip, since only root can mount one."""
    with _mounted(tmp_path / "small", "size=256k") as folder:
        yield folder


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A folder that cannot be written to (for root, a read-only mount), or a skip."""
    folder = tmp_path / "read_only"
    if os.geteuid() != 0:
        folder.mkdir(0o555)
        yield folder
        folder.chmod(0o755)
        return
    with _mounted(folder, "size=64k,ro"):
        yield folder


@pytest.fixture(scope="session")
def _sound_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SoundServer]:
    """A sound server of this session, or a skip."""
    if missing := missing_programs():
        pytest.skip(f"{', '.join(missing)} not installed (make test installs pulseaudio)")
    server = SoundServer(tmp_path_factory.mktemp("sound"))
    server.start()
    yield server
    server.stop()


@pytest.fixture
def sound_server(_sound_server: SoundServer) -> Iterator[SoundServer]:
    """A sound server whose microphone is plugged in."""
    _sound_server.plug()
    yield _sound_server
    _sound_server.unplug()


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of a Chromium, or a skip."""
    names = ("chromium", "google-chrome", "chromium-browser")
    program = next((path for name in names if (path := shutil.which(name))), None)
    if program is None:
        pytest.skip(f"none of {', '.join(names)} is installed (make test installs chromium)")
    return program


@pytest.fixture(scope="session")
def playwright(chromium: str) -> Iterator[Playwright]:
    """Playwright, which starts browsers. One per process, since a second one does not start."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def browser(playwright: Playwright, chromium: str) -> Iterator[Browser]:
    """Headless Chromium."""
    started = playwright.chromium.launch(
        executable_path=chromium,
        args=["--no-sandbox", "--autoplay-policy=no-user-gesture-required"],
    )
    yield started
    started.close()


@pytest.fixture(scope="session")
def bundle() -> Bundle:
    """The built-in bundle."""
    return load_bundle(default_bundle_path())


@pytest.fixture(scope="session")
def tiny() -> Bundle:
    """A smaller bundle, with other ops."""
    return load_bundle(default_bundle_path().with_name("tiny"))


@pytest.fixture
def bundle_path(tmp_path: Path) -> Path:
    """A copy of the built-in bundle that a test may damage."""
    return Path(shutil.copytree(default_bundle_path(), tmp_path / "bundle"))


@pytest.fixture
def model_file(tmp_path: Path) -> Path:
    """A .tflite file that can be converted."""
    file = tmp_path / "dense.tflite"
    file.write_bytes(dense_model())
    return file


@pytest.fixture
def kws(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line in this process; returns exit code, stdout and stderr."""
    return runner(monkeypatch, capsys)
