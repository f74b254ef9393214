# SPDX-License-Identifier: Apache-2.0
"""Help: groups, valid examples, completion, mistyped names."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from kws.cli.command_table import GROUPS
from kws.cli.help_pages import plain_range, plain_type
from kws.cli.main import app
from tests.command_line import Run

_ROOT: Any = get_command(app)
_COMMANDS = {
    name: command for name, command in _ROOT.commands.items() if not hasattr(command, "commands")
} | {
    f"{group} {name}": command
    for group in ("export", "voices")
    for name, command in _ROOT.commands[group].commands.items()
}


def _help(*command: str) -> str:
    return CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "80"}).output


def _completed(line: str, shell: str = "bash") -> list[str]:
    """A shell's completions for the last word of a line."""
    words = line.split(" ")
    variables = {
        "_KWS_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
        "_TYPER_COMPLETE_ARGS": line,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    program = "import sys; sys.argv[0] = 'kws'; from kws.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split("\n")


def test_each_group_is_a_section_and_each_command_one_line() -> None:
    sections = _help().split("\n\n")
    for title, commands in GROUPS.items():
        section = next(text for text in sections if text.startswith(f"{title}:"))
        names = [line.split()[0] for line in section.splitlines()[1:]]
        assert set(names) >= {command.name for command in commands}
        assert len(names) == len(set(names))
        assert all(line[2] != " " for line in section.splitlines()[1:])  # none has a second line


@pytest.mark.parametrize("name", _COMMANDS)
def test_the_example_of_a_command_is_valid(name: str) -> None:
    example = _help(*name.split()).strip().split("\n\n")[-1].replace("\n", " ")
    start, _, line = example.strip().partition("Example: ")
    assert (start, line.startswith(f"kws {name}")) == ("", True)
    words = shlex.split(line.removeprefix(f"kws {name}"))
    # Parsed and checked, not run.
    context = _COMMANDS[name].make_context(name, words)
    assert context.params


def test_examples_in_a_help_are_valid_lines() -> None:
    lines = [line.strip() for line in _help("set").splitlines()]
    examples = [line.partition(" #")[0] for line in lines if line.startswith("kws set ")]
    assert len(examples) == 5
    for example in examples:
        _COMMANDS["set"].make_context("set", shlex.split(example)[2:])


def test_types_and_ranges_are_words() -> None:
    assert plain_type("--takes <int range>") == "--takes <int>"
    assert plain_type("--rooms <list[Path]>") == "--rooms <path>"
    assert plain_type("<bundle> <Path>") == "<bundle>"
    assert plain_range("Takes.  [default: (3); x>=1]") == "Takes.  [default: 3; 1 or more]"
    assert plain_range("Share.  [0<=x<=1; required]") == "Share.  [0 to 1; required]"
    assert plain_range("Most.  [x<=5]") == "Most.  [at most 5]"


@pytest.mark.parametrize("name", _COMMANDS)
def test_help_shows_no_python(name: str) -> None:
    text = _help(*name.split())
    assert not [part for part in ("list[", "range>", "<=x", "x>=", "(default") if part in text]


@pytest.mark.process
@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("kws sel", ["selftest"]),
        ("kws build --bo", ["--board"]),
        ("kws build --board nano33ble_", ["nano33ble_rev2"]),
        ("kws deploy --board q", []),
        ("kws test --board h", ["host"]),
        ("kws run --model t", ["ten_words", "tiny"]),
        ("kws run --model m", []),
        ("kws build --board qemu --model y", ["yes_no"]),
    ],
)
def test_bash_completes_commands_options_boards_and_built_in_models(
    line: str, wanted: list[str]
) -> None:
    assert _completed(line) == [*(wanted or [""]), ""]


@pytest.mark.process
def test_zsh_and_fish_complete_too() -> None:
    assert (
        '"nano33ble_rev2":"Arduino Nano 33 BLE Sense Rev2"'
        in _completed("kws build --board nano33ble_", "zsh")[0]
    )
    assert _completed("kws build --board nano33ble_", "fish") == [
        "nano33ble_rev2\tArduino Nano 33 BLE Sense Rev2",
        "",
    ]


@pytest.mark.parametrize(
    ("shell", "file"),
    [
        ("bash", ".bash_completions/kws.sh"),
        ("zsh", ".zfunc/_kws"),
        ("fish", ".config/fish/completions/kws.fish"),
    ],
)
def test_completion_is_shown_and_installed_for_the_running_shell(
    shell: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shellingham.detect_shell", lambda: (shell, f"/usr/bin/{shell}"))
    monkeypatch.setenv("HOME", str(tmp_path))
    shown = CliRunner().invoke(app, ["--show-completion"], prog_name="kws")
    installed = CliRunner().invoke(app, ["--install-completion"], prog_name="kws")
    assert (shown.exit_code, installed.exit_code) == (0, 0)
    assert f"complete_{shell}" in shown.output
    assert (tmp_path / file).read_text().strip() == shown.output.strip()
    assert f"{shell} completion installed in" in installed.output


@pytest.mark.process
@pytest.mark.skipif(not shutil.which("bash"), reason="bash is missing")
def test_the_shown_completion_works_in_bash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shellingham.detect_shell", lambda: ("bash", "/usr/bin/bash"))
    shown = CliRunner().invoke(app, ["--show-completion"], prog_name="kws")
    program = tmp_path / "kws"
    code = "import sys; sys.argv[0] = 'kws'; from kws.cli.main import main; main()"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c "{code}" "$@"\n')
    program.chmod(0o755)
    script = f"""{shown.output}
COMP_WORDS=(kws build --board nano33ble_)
COMP_CWORD=3
_kws_completion {shlex.quote(str(program))}
echo "${{COMPREPLY[@]}}"
"""
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "nano33ble_rev2\n"


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        ("trian", 2, "Did you mean 'train'?"),
        ("build --bord qemu", 2, "--board"),
        ("build --board nano33bel", 2, "no board 'nano33bel' (did you mean 'nano33ble'?)"),
        ("deploy --board nano33bel", 2, "is not a board (did you mean 'nano33ble'?)"),
        ("monitor --board sparkfun", 2, "(did you mean 'sparkfun_edge'?)"),
        ("run x.wav --model tinny", 1, "no such bundle (did you mean 'tiny'?)"),
        ("download speech_comands --out x", 2, "(did you mean 'speech_commands'?)"),
        ("synth --words yes --out x --engines espaek", 2, "(did you mean 'espeak'?)"),
    ],
)
def test_a_mistyped_name_gets_a_suggestion(kws: Run, line: str, code: int, says: str) -> None:
    got, out, err = kws(*line.split())
    assert (got, out) == (code, "")
    assert says in err
    assert "Traceback" not in err
