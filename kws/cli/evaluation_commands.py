# SPDX-License-Identifier: Apache-2.0
"""Commands that measure a model or choose its settings."""

from __future__ import annotations

import sys
from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from kws.cli.option_values import (
    open_bundle,
    open_data,
    print_tables,
    refuse_built_in,
    split_words,
    surroundings,
)
from kws.cli.options import (
    BUNDLE,
    DataOption,
    JsonOption,
    ModelOption,
    NegativesOption,
    NoisesOption,
    OptionalDataOption,
)
from kws.cli.printing.endings import finish, print_calibration, print_limiting_talk
from kws.errors import UsageError

HoursOption = Annotated[
    float, typer.Option("--hours", help="Hours of sound with keywords, for each kind.")
]
OtherHoursOption = Annotated[
    float, typer.Option("--other-hours", help="Additional hours of sound with only other words.")
]
SnrOption = Annotated[
    str,
    typer.Option(
        "--snr", help="Range of the signal-to-noise ratio of words, in dB: lowest,highest."
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", min=0, help="A different seed makes different hours of sound.")
]


def evaluate(
    *,
    data: OptionalDataOption = None,
    model: ModelOption = None,
    split: Annotated[
        str, typer.Option(help="Which clips and talk to use: test, validation, train or all.")
    ] = "test",
    float_model: Annotated[
        Path | None,
        typer.Option(
            "--float",
            help="Also measure the float model in this run's folder or .keras file. The default "
            "is the float weights in the bundle.",
        ),
    ] = None,
    stream: Annotated[
        bool,
        typer.Option("--stream", help="Also join the clips into hours of sound and play them."),
    ] = False,
    hours: HoursOption = 1.0,
    other_hours: OtherHoursOption = 4.0,
    snr: SnrOption = "5,15",
    seed: SeedOption = 0,
    negatives: NegativesOption = None,
    noises: NoisesOption = None,
    words: Annotated[
        str, typer.Option(help="Keywords to report in hours of sound: yes,no. All by default.")
    ] = "",
    recording: Annotated[
        Path | None, typer.Option(help="A long recording of your own. Needs --labels.")
    ] = None,
    labels: Annotated[
        Path | None,
        typer.Option(help="Words of the recording: a label track exported from Audacity."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Write report.html and its figures to this folder.")
    ] = None,
    png: Annotated[
        Path | None, typer.Option(help="Save a picture of the confusion matrix as this PNG file.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Measure misses and false alarms: clips, hours of sound, talk."""
    from kws.cli.printing.tables import (
        clip_tables,
        kind_tables,
        recall_table,
        speakers_line,
        talk_line,
    )
    from kws.extras import require
    from kws.model.evaluate import evaluation
    from kws.model.evaluate.score.clip_scores import split_of
    from kws.model.evaluate.score.float_reference import load_reference
    from kws.model.evaluate.score.labelled_clips import load_clips
    from kws.model.evaluate.score.plans import stream_plan
    from kws.model.evaluate.score.playlist import make_playlist

    if (recording is None) != (labels is None):
        raise UsageError("--recording and --labels belong together; give both")
    if recording and stream:
        raise UsageError("--recording and --stream were both given; choose one")
    if data is None and (stream or not (recording or negatives)):
        raise UsageError(
            "nothing to evaluate; give a data set with --data, talk with --negatives, or both"
        )
    plan = stream_plan(hours, other_hours, snr, seed)
    part = split_of(split)
    # Fail early if an input is missing.
    if png:
        require("matplotlib.figure", "plots", "--png")
    if out:
        require("jinja2", "evaluate", "--out")
    require("scipy.stats", "evaluate", "kws evaluate")
    bundle = open_bundle(model)
    dataset = open_data(data) if data else None
    playlist = make_playlist(
        bundle,
        dataset,
        split=part,
        plan=plan if stream else None,
        surroundings=surroundings(negatives, noises),
        recording=(recording, labels) if recording and labels else None,
        keywords=split_words(words),
    )
    clips = load_clips(bundle, dataset, part) if dataset else None
    reference = load_reference(bundle, float_model) if clips else None
    result = evaluation.evaluate(bundle, clips, playlist, reference)
    if as_json:
        print(dumps(result.to_json(), indent=2))
    else:
        if result.stream:
            print_tables(*kind_tables(result.stream))
        print(talk_line(result.stream))
        if result.clips:
            print_tables(recall_table(result.clips.matrix), *clip_tables(result.clips))
            print(speakers_line(result.clips))
    if png and result.clips:
        from kws.model.evaluate.report.confusion_picture import save_confusion

        save_confusion(png, result.clips.matrix, f"{bundle.name}, int8 on the core")
    if out:
        from kws.model.evaluate.report.html_report import save_report

        file = save_report(out, result)
        print(f"report: {file}", file=sys.stderr if as_json else sys.stdout)


def calibrate(
    *,
    data: DataOption,
    model: ModelOption = None,
    false_alarms_per_hour: Annotated[
        float, typer.Option(min=0, help="False alarms allowed per hour, all keywords together.")
    ] = 0.5,
    at_words: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="False alarms allowed in an hour with 180 other single words, if different from "
            "the number in an hour of talk.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the new bundle. By default --model is changed."),
    ] = None,
    words: Annotated[
        str, typer.Option(help="Keywords to report: yes,no. The others are never reported.")
    ] = "",
    negatives: NegativesOption = None,
    noises: NoisesOption = None,
    hours: HoursOption = 0.5,
    snr: SnrOption = "5,15",
    seed: SeedOption = 0,
    as_json: JsonOption = False,
) -> None:
    """Choose a bundle's thresholds and window on the validation split."""
    from kws.bundle.built_in import default_bundle_path
    from kws.model.evaluate.bundle_calibration import calibrate_bundle
    from kws.model.evaluate.judge.verdict import calibrated_misses, judge
    from kws.model.evaluate.score.plans import calibration_plan

    folder = model or default_bundle_path()
    refuse_built_in(folder, out)
    plan = calibration_plan(hours, snr, seed)
    calibration = calibrate_bundle(
        folder,
        open_data(data),
        plan,
        false_alarms_per_hour,
        out,
        keywords=split_words(words),
        ambient=surroundings(negatives, noises),
        at_words=at_words,
    )
    verdict = judge(
        calibrated_misses(calibration),
        more="",
        again="train more or better, or allow more false alarms (--false-alarms-per-hour)",
    )
    if as_json:
        print(dumps(calibration.to_json() | {"verdict": verdict.to_json()}, indent=2))
    else:
        print_calibration(out or folder, calibration)
    finish(verdict, as_json=as_json)


def enroll(
    model: Annotated[Path, typer.Argument(**BUNDLE, help="Folder of a bundle.")],
    recordings: Annotated[
        Path,
        typer.Argument(
            help="Three to twenty takes of each keyword by the future users: a folder per word, "
            "as made by kws record."
        ),
    ],
    *,
    negatives: NegativesOption = None,
    data: OptionalDataOption = None,
    false_alarms_per_hour: Annotated[
        float, typer.Option(min=0, help="False alarms allowed per hour of talk.")
    ] = 0.5,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the new bundle. By default <bundle> is changed."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Choose a bundle's thresholds from recordings of its users.

    --negatives names talk that must not wake it. --data adds other words: a data set such as the
    one in the run of kws wake.
    """
    from kws.cli.printing.tables import enrolment_table
    from kws.model.wake.enrolment import enroll as choose

    refuse_built_in(model, out)
    result = choose(
        model,
        recordings,
        surroundings(negatives),
        false_alarms_per_hour,
        out,
        others=open_data(data) if data else None,
    )
    if as_json:
        print(dumps(result.to_json(), indent=2))
        finish(result.verdict, as_json=True)
        return
    print(f"{result.recordings} recordings by {result.speakers} speakers")
    print_tables(enrolment_table(result))
    print(
        "measured on the recordings used to choose the thresholds; new ones are missed more often"
    )
    for word, threshold in result.new.items():
        print(f"{word}: threshold {threshold} instead of {result.old[word]}")
    print_limiting_talk(result.calibration)
    print(f"bundle: {result.bundle.path}")
    finish(result.verdict)


def mine_command(
    recordings: Annotated[
        list[Path],
        typer.Argument(help="Long recordings without keywords, or folders of them."),
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option(help="New folder for the results.", show_default="mined/RECORDING"),
    ] = None,
    model: ModelOption = None,
    threshold: Annotated[
        int,
        typer.Option(min=0, max=255, help="A keyword's score in one inference must exceed this."),
    ] = 76,
    split: Annotated[
        str, typer.Option(help="Which recordings to search: train, validation, test or all.")
    ] = "train",
    words: Annotated[str, typer.Option(help="Keywords that count: yes,no. All by default.")] = "",
    most: Annotated[
        int | None, typer.Option(min=1, help="Maximum number to keep, the highest scores first.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Find sound that causes false alarms, for training.

    Each false alarm is kept with its context, and kws train --negatives OUT learns it as unknown.
    So the recordings must contain no keywords: if you are not sure, listen to the kept clips and
    delete those with a keyword. Recordings are skipped if a manifest or transcript names a keyword.
    """
    from kws.cli.printing.tables import mining_tables
    from kws.model.evaluate.score.clip_scores import split_of
    from kws.model.train.mining import MiningSettings, mine_recordings, usual_folder

    settings = MiningSettings(
        tuple(recordings),
        keywords=split_words(words),
        threshold=threshold,
        split=split_of(split),
        most=most,
    )
    out = out or usual_folder(recordings)
    mining = mine_recordings(open_bundle(model), settings, out)
    if as_json:
        print(dumps(mining.to_json(), indent=2))
        return
    if not mining.clips:
        print(f"nothing scores above {threshold} in {mining.searched}; nothing was written")
        return
    print_tables(*mining_tables(mining))
    places = sum(mining.events.values())
    print(f"searched {mining.searched}\n{out}: {len(mining.clips)} of {places} places kept")
    print(f"listen to them, delete true keywords, then kws train --negatives {out}")
