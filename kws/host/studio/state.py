# SPDX-License-Identifier: Apache-2.0
"""Everything that the page of `kws studio` shows, read from the project's folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kws import __version__
from kws.audio.download import find_archive
from kws.bundle.layout import SETTINGS_FILE
from kws.bundle.licences import FIRMWARE as FIRMWARE_CODE
from kws.bundle.licences import licences_of
from kws.bundle.reading import load_bundle
from kws.errors import KwsError
from kws.host.build.boards import boards
from kws.host.deploy.real_board import real_boards
from kws.host.studio.cards import all_cards, card_facts
from kws.host.studio.efforts import EFFORTS, Effort, Run, finished_run, minutes, runs_of
from kws.host.studio.jobs import Jobs
from kws.host.studio.project import EXPORTS, FIRMWARE, PAGES, SOUND, Project, read_json
from kws.host.studio.tasks import BOARDS_FILE, SOUNDS, train_task
from kws.host.studio.unchanged import changed_at, read_changed
from kws.host.web.model_facts import bundle_thresholds
from kws.model.evaluate.report.html_report import FIGURES, REPORT
from kws.model.evaluate.score.streams import TITLES, Kind
from kws.model.wake.wake_word import REPORT as REPORT_FOLDER

DOWNLOADS = "/downloads/"

_SHOWN_JOBS = 20


def state_of(project: Project, jobs: Jobs) -> dict[str, Any]:
    """The state of a project as JSON values.

    A damaged or half-written file counts as missing.
    """
    settings = project.settings
    finished = {name: run for name in EFFORTS if (run := finished_run(project, name))}
    compared = [name for name, run in finished.items() if (run.path / BOARDS_FILE).is_file()]
    newest = max(
        compared, key=lambda name: changed_at(finished[name].path / BOARDS_FILE), default=None
    )
    return {
        "version": __version__,
        "project": {"path": str(project.path), "name": project.path.name},
        "settings": {
            "phrase": settings.phrase,
            "language": settings.language,
            "data": settings.data,
            "negatives": list(settings.negatives),
            "sellable": settings.sellable,
        },
        "words": list(project.words),
        "takes": [
            {
                "word": take.word,
                "name": take.path.name,
                "speaker": take.speaker,
                "recorded": round(changed_at(take.path)),
            }
            for take in project.takes()
        ],
        "sounds": [_sound(project, name) for name in SOUNDS],
        "speakers": dict(settings.speakers),
        "window_ms": project.take_ms,
        "cards": [card_facts(card) for card in all_cards(project)],
        "efforts": [_effort(project, jobs, effort) for effort in EFFORTS.values()],
        "boards": _boards(finished[newest]) if newest else None,
        "boards_for": newest,
        "pages": [
            name for name, run in finished.items() if _is_current(project, f"{PAGES}/{name}", run)
        ],
        "exports": [
            {"kind": kind, "effort": name, "path": path, "zip": f"{DOWNLOADS}{path}.zip"}
            for path, name, kind in _results(project, EXPORTS)
            if name in finished and _is_current(project, path, finished[name])
        ],
        "firmware": [
            {"board": board, "effort": name, "zip": f"{DOWNLOADS}{path}.zip"}
            for path, name, board in _results(project, FIRMWARE)
            if name in finished and _is_current(project, path, finished[name])
        ],
        "jobs": [job.to_json() for job in jobs.all()[:_SHOWN_JOBS]],
    }


def _sound(project: Project, name: str) -> dict[str, Any]:
    """A data set that the page offers."""
    archive, path = find_archive(name), f"{SOUND}/{name}"
    return {
        "name": name,
        "title": archive.name,
        "megabytes": round((archive.size or 0) / 1e6),
        "licence": archive.licence,
        "for": "negatives" if archive.talk else "data",
        "path": path,
        "present": (project.path / path).is_dir(),
    }


def _is_current(project: Project, path: str, run: Run) -> bool:
    """Whether a folder was written after the bundle of a run."""
    return changed_at(project.path / path) >= changed_at(run.bundle / SETTINGS_FILE)


def downloads(project: Project) -> set[str]:
    """Folders that the page offers as ZIP files, from the project's folder."""
    return {path for folder in (EXPORTS, FIRMWARE) for path, _, _ in _results(project, folder)}


def _effort(project: Project, jobs: Jobs, effort: Effort) -> dict[str, Any]:
    """One setting of the effort: its command, and the state of its runs."""
    runs = runs_of(project, effort.name)
    finished = [run for run in runs if run.is_finished]
    shown = finished[-1] if finished else None
    facts: dict[str, Any] = {
        "name": effort.name,
        "title": effort.title,
        "buys": effort.buys,
        "minutes": None,
        "command": "",
        "run": "none",
        "stale": False,
        "result": _result(shown) if shown else None,
        "before": _result(finished[-2]) if len(finished) > 1 else None,
        "curves": runs[-1].curves() if runs else [],
    }
    try:
        task = train_task(project, effort, jobs.last)
    except KwsError:  # no phrase yet, or one that a language cannot spell
        return facts
    newest = runs[-1] if runs else None
    # The command writes another folder if the newest run is from other settings.
    is_stale = newest is not None and (project.path / task.arguments[-1]) != newest.path
    state = "none"
    if newest is not None and not is_stale:
        state = "done" if newest.is_finished else "unfinished"
    elif shown is not None:
        state = "done"
    return facts | {
        "minutes": minutes(project, effort),
        "command": task.command,
        "run": state,
        "stale": is_stale and shown is not None,
    }


def _result(run: Run) -> dict[str, Any]:
    """What a finished run's page shows of its result."""
    result: Mapping[str, Any] = run.result or {}
    return {
        "verdict": result.get("verdict"),
        "lines": result.get("lines") or [],
        "recordings": result.get("recordings", 0),
        "thresholds": read_changed(run.bundle / SETTINGS_FILE, _thresholds) or {},
        "licences": read_changed(run.bundle / SETTINGS_FILE, _licences) or [],
        "folder": run.path.name,
        "report": f"/runs/{run.path.name}/{REPORT}",
        "curve": _curve(run),
    }


def _thresholds(file: Path) -> dict[str, int]:
    """The thresholds that decide, by word, from a bundle.toml; empty if the bundle is damaged."""
    try:
        bundle = load_bundle(file.parent)
    except KwsError:
        return {}
    return {
        label: threshold
        for label, threshold in zip(bundle.labels, bundle_thresholds(bundle), strict=True)
        if label in bundle.keywords
    }


def _licences(file: Path) -> list[dict[str, Any]]:
    """What `kws licences` lists for a bundle.toml; empty if the bundle is damaged."""
    try:
        items = [*licences_of(load_bundle(file.parent)), *FIRMWARE_CODE]
    except KwsError:
        return []
    return [asdict(item) for item in items]


def _curve(run: Run) -> list[dict[str, Any]]:
    """Misses against false alarms per hour of talk, by kind of stream; empty without talk.

    A point is the false alarms, the share of misses, the threshold, and the misses' 95 % interval,
    which is missing if there are too few speakers; `alarms_95` has the false alarms' intervals.
    """
    figures = read_json(run.path / REPORT_FOLDER / FIGURES)
    points = figures.get("stream", {}).get("curve", []) if isinstance(figures, dict) else []
    curves = []
    for kind in (Kind.QUIET, Kind.NOISE, Kind.OVER_TALK):
        chosen = [
            (point["threshold"], point[Kind.TALK], point[kind])
            for point in points
            if Kind.TALK in point and kind in point and point[kind]["miss_share"] is not None
        ]
        if not chosen:
            continue
        curve = {
            "kind": str(kind),
            "title": TITLES[kind],
            "points": [
                [
                    *(talk["alarms_an_hour"], words["miss_share"], threshold),
                    *(words["miss_share_95"] or ()),
                ]
                for threshold, talk, words in chosen
            ],
            "alarms_95": [talk["alarms_an_hour_95"] for _, talk, _ in chosen],
        }
        curves.append(curve)
    return curves


def _boards(run: Run) -> list[dict[str, Any]]:
    """The boards with a model's use of each."""
    figures = read_json(run.path / BOARDS_FILE)
    known = {board.name: board for board in boards()}
    written_over_serial = {name for name, board in real_boards().items() if board.over_serial}
    rows = figures.get("boards", []) if isinstance(figures, dict) else []
    return [
        {
            "name": row["board"],
            "title": known[row["board"]].title,
            "emulated": known[row["board"]].emulator is not None,
            "real": known[row["board"]].deploy is not None,
            "over_serial": row["board"] in written_over_serial,
            "fits": row["fits"],
            "why": ", ".join(row["problems"]),
            "inference_ms": row["inference_ms"],
            "load": row["processor_share"],
            "flash": row["flash"],
            "flash_of": row["limits"]["flash"],
            "ram": row["ram"],
            "ram_of": row["limits"]["ram"],
            "emulator": known[row["board"]].emulator,
        }
        for row in rows
        if row.get("board") in known
    ]


def _results(project: Project, folder: str) -> list[tuple[str, str, str]]:
    """Folders that an export or a build has written: path, effort, and its kind or board."""
    place = project.path / folder
    names = sorted(it.name for it in place.iterdir() if it.is_dir()) if place.is_dir() else []
    pairs = [(name, *name.split("-", 1)) for name in names if "-" in name]
    return [(f"{folder}/{name}", effort, of) for name, effort, of in pairs if effort in EFFORTS]
