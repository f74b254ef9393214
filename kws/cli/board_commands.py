# SPDX-License-Identifier: Apache-2.0
"""Commands on emulated and real boards, their firmware, and the costs of models."""

from __future__ import annotations

import sys
from json import dumps
from pathlib import Path
from typing import Annotated, Any

import typer

from kws.cli.help_pages import complete_bench_board
from kws.cli.option_values import bundle_text, open_bundle, open_device, print_tables, schedule_of
from kws.cli.options import (
    BUNDLE,
    BoardOption,
    CompiledOption,
    EmulatedBoardOption,
    ForOption,
    JsonOption,
    ModelOption,
    NoVerifyOption,
    OptionalDataOption,
    PinOption,
    ThenOption,
)
from kws.errors import UsageError


def build(
    *,
    board: BoardOption,
    model: ModelOption = None,
    then: ThenOption = None,
    listen_for: ForOption = None,
    no_verify: NoVerifyOption = False,
    compiled: CompiledOption = False,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the firmware. The default is build/firmware/BOARD."),
    ] = None,
    pin: PinOption = None,
    details: Annotated[
        bool, typer.Option("--details", help="Also list flash and RAM by part.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Build a board's firmware with a model."""
    from kws.cli.printing import size_tables
    from kws.host.build.boards import find_board
    from kws.host.build.firmware import build as build_firmware
    from kws.progress import progress_bar

    target = find_board(board)
    device = open_device(model, then, listen_for, compiled=compiled, no_verify=no_verify)
    with progress_bar(f"building for {board}", None):
        folder = out or Path("build") / "firmware" / board
        plan = schedule_of(target, device)
        hops = plan.ring_hops
        firmware = build_firmware(board, device, folder, pin or (), hops)
        other = None
        if device.compiled:
            other = build_firmware(board, device.as_interpreted(), ring_hops=hops)
    if as_json:
        print(size_tables.size_json(target, firmware, plan, other))
        return
    if details:
        print(size_tables.details_text(target, firmware, plan))
    options = {"--model": model, "--then": then, "--for": listen_for}
    following = "kws deploy" if target.deploy else "kws test"
    words = [f"{following} --board {board}"]
    words += [name for name, on in (("--compiled", compiled), ("--no-verify", no_verify)) if on]
    words += [f"{name} {bundle_text(value)}" for name, value in options.items() if value]
    words += [f"--pin {pair}" for pair in pin or () if target.deploy]
    print(size_tables.size_text(target, firmware, plan, " ".join(words), other))


def test(
    clips: Annotated[
        list[str] | None,
        typer.Argument(
            help="Recordings or folders, or label=recording. The default is the kws test matrix."
        ),
    ] = None,
    *,
    board: EmulatedBoardOption,
    model: ModelOption = None,
    then: ThenOption = None,
    listen_for: ForOption = None,
    no_verify: NoVerifyOption = False,
    compiled: CompiledOption = False,
    data: OptionalDataOption = None,
    per_label: Annotated[
        int, typer.Option(help="Number of held-out clips of --data to play per label.", min=1)
    ] = 5,
    pass_rate: Annotated[
        float,
        typer.Option(
            help="Share of clips that must be right, 0 to 1. A faulty board never passes.",
            min=0,
            max=1,
        ),
    ] = 1.0,
    lead: Annotated[
        float,
        typer.Option(
            help="Seconds of quiet-room noise before each recording, not counted in times.",
            min=0,
            max=60,
        ),
    ] = 0.0,
    export: Annotated[
        Path | None,
        typer.Option(help="Only write the recordings and the expected lines to this folder."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play recordings to a device and check its detections.

    An emulated board must report what this machine does, with the same scores and times. With the
    default matrix, it must also report faults.
    """
    from kws.cli.printing import board_tables
    from kws.host.build.boards import find_board
    from kws.host.build.ring import DEFAULT_HOPS
    from kws.host.emulate import expectations, faults, player
    from kws.host.emulate import recordings as test_recordings
    from kws.host.emulate.emulators import emulator
    from kws.host.emulate.suite_export import export_suite
    from kws.progress import progress_bar

    if clips and data:
        raise UsageError("clips and --data cannot be combined; give one of them")
    device = open_device(model, then, listen_for, compiled=compiled, no_verify=no_verify)
    if clips:
        recordings = expectations.clip_recordings(clips, device.words)
    elif data and device.commands:
        recordings = test_recordings.held_out_after_wake_word(
            data, device.bundle.keywords, device.commands.keywords, per_label
        )
    elif data:
        recordings = test_recordings.held_out(data, device.bundle.labels, per_label)
    else:
        recordings = test_recordings.load_matrix(
            test_recordings.default_matrix(), device.bundle.labels
        )
    recordings = [recording.after(lead) for recording in recordings]
    if export:
        export_suite(board, device, recordings, export)
        print(f"{len(recordings)} recordings in {export}")
        return
    hops = DEFAULT_HOPS
    if board != player.HOST:
        with emulator(board):  # a missing board is an error before anything is counted
            hops = schedule_of(find_board(board), device).ring_hops
    with progress_bar(f"playing to {board}", len(recordings)) as advance:
        results = player.play_all(board, device, recordings, advance, hops)
    injected: list[faults.FaultRow] = []
    if not clips and not data and board != player.HOST:
        with progress_bar(f"breaking {board}", faults.TRIES) as advance:
            injected = faults.check_faults(board, device, advance, hops)
    # A faulty board fails at any pass rate.
    is_sound = all(result.is_sound for result in results) and all(row.ok for row in injected)
    passed = is_sound and board_tables.pass_rate(results) >= pass_rate
    if as_json:
        print(board_tables.results_json(board, device.bundle, results, injected, passed=passed))
    else:
        print(board_tables.results_text(board, device.bundle, results, injected))
    if not passed:
        raise typer.Exit(1)


def bench(
    *,
    board: Annotated[
        str,
        typer.Option(
            help="An emulated board, an emulated processor (cortex-m0, cortex-m3, cortex-m7, "
            "cortex-m33, cortex-m55, riscv32, xtensa, aarch64, arm-linux), or host: this machine.",
            autocompletion=complete_bench_board,
        ),
    ] = "host",
    model: Annotated[
        Path | None,
        typer.Option(
            **BUNDLE,
            help="Bundle folder, built-in bundle (yes_no, the default; ten_words; tiny), .tflite "
            "file, or C source with one (model.h).",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure a model's cycles and memory, or its speed on this machine."""
    from dataclasses import asdict

    from kws.bundle.built_in import default_bundle_path
    from kws.bundle.device import Device
    from kws.convert.tflite_import import read_model
    from kws.errors import located
    from kws.host.build.firmware import tool_environment
    from kws.host.emulate.cores import CORES
    from kws.host.measure import benchmark as measure

    if board != "host" and board not in CORES:
        tool_environment(board, "bench")
    path = model or default_bundle_path()
    bundle = None if path.is_file() else open_bundle(path)
    content = bundle.model if bundle else read_model(path)
    look = bundle.second_look.model if bundle and bundle.second_look else None
    with located(path):
        if board == "host":
            hosts = [measure.bench_host(each) for each in (content, look) if each]
            print(_bench_json(*hosts) if as_json else measure.host_text(*hosts))
            return
        if board in CORES:
            cores = [measure.bench_core(board, each) for each in (content, look) if each]
            print(_bench_json(*cores) if as_json else measure.core_text(board, *cores))
            return
        figures = [measure.bench_board(board, each) for each in (content, look) if each]
    flash = measure.bench_flash(board, Device(bundle)) if bundle else None
    if as_json:
        print(_bench_json(*figures, footprint=asdict(flash) if flash else None))
    else:
        print(measure.board_text(figures[0], flash, *figures[1:]))


def _bench_json(figures: Any, look: Any = None, **more: Any) -> str:
    """The figures of a model, and those of its second look, if it has one."""
    from dataclasses import asdict

    seen = {"second_look": asdict(look)} if look else {}
    return dumps({**asdict(figures), **seen, **more}, indent=2)


def boards(
    *,
    model: Annotated[
        Path | None,
        typer.Option(
            **BUNDLE,
            help="Bundle (such as tiny) to show with each board: its use of the board, and "
            "whether it fits.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the boards; with --model, also a model's use of each.

    Firmware is built for each board and its cycles are counted in QEMU. Later runs are quick.
    """
    from kws.cli.printing import board_tables, size_tables
    from kws.host.build.boards import boards as all_boards
    from kws.host.measure.board_fit import fit_boards
    from kws.progress import progress_bar

    known = all_boards()
    if model is not None:
        bundle = open_bundle(model)
        with progress_bar(f"building {bundle.name}", len(known)) as advance:
            fits = fit_boards(known, bundle, advance)
        text = size_tables.fits_json if as_json else size_tables.fits_text
        print(text(bundle.name, fits))
        return
    print(board_tables.list_json(known) if as_json else board_tables.boards_text(known))


def doctor(*, as_json: JsonOption = False) -> None:
    """Check the requirements of all commands; list what to install."""
    from kws.cli.printing import board_tables
    from kws.host.doctor import check_all

    checks = check_all()
    print(board_tables.list_json(checks) if as_json else board_tables.checks_text(checks))
    if not all(check.present or check.optional for check in checks):
        raise typer.Exit(1)


def models(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="Architectures of the zoo, or .py files. The default is the whole zoo."
        ),
    ] = None,
    *,
    board: Annotated[str, typer.Option(help="Emulated board to measure on, or none.")] = "qemu",
    words: Annotated[int, typer.Option(min=1, help="Number of keywords.")] = 2,
    runs: Annotated[
        Path, typer.Option(help="Folder of training runs; their accuracy is shown.")
    ] = Path("runs"),
    as_json: JsonOption = False,
) -> None:
    """List the architectures of the zoo and their costs.

    Costs are measured only once.
    """
    from kws.convert.backend import check_tensorflow

    check_tensorflow()
    from kws.bundle.built_in import default_bundle_path
    from kws.host.build.boards import find_board
    from kws.host.build.programs import cache_folder
    from kws.host.measure import model_costs
    from kws.model.zoo import MODELS

    if board != "none":
        find_board(board)
    costs = model_costs.measure(
        names or list(MODELS),
        words + 2,
        None if board == "none" else board,
        cache_folder(),
        lambda line: print(line, file=sys.stderr, flush=True),
    )
    trained = model_costs.find_trained([default_bundle_path().parent, runs])
    if as_json:
        print(dumps(model_costs.to_json(costs, trained), indent=2))
    else:
        print_tables(model_costs.table(costs, trained))
