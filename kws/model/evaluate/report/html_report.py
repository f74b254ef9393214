"""The report of an evaluation: one HTML file with pictures, tables and sound in it, and PNGs.

It needs nothing but a browser: no network, no script, no file beside it. Pictures are there twice,
for light and for dark.
"""

from __future__ import annotations

import base64
import html
import io
import wave
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np

from kws import __version__
from kws._core import SAMPLE_RATE
from kws.audio.pcm import Pcm
from kws.bundle.bundle import Bundle
from kws.files import atomic_write, make_directory
from kws.model.evaluate.clip_metrics import Judgement
from kws.model.evaluate.evaluation import Assessment, StreamResult
from kws.model.evaluate.report import plots
from kws.model.evaluate.report.plots import DARK, LIGHT, Theme
from kws.model.evaluate.stream_metrics import Alarm

PAGE = "report.html"

_MOST_SOUNDS = 16
_LISTEN_PEAK = 12_000  # of 32768: soft clips are made audible

_STYLE = """
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1f2d3d; --soft: #59636e;
  --line: #d1d9e0; --panel: #f6f8fa; --accent: #0969da; }
@media (prefers-color-scheme: dark) { :root { --paper: #0d1117; --ink: #e6edf3; --soft: #9198a1;
  --line: #3d444d; --panel: #161b22; --accent: #4493f8; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1.5rem 1rem 4rem; max-width: 68rem; background: var(--paper);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.7rem; } h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
.soft, figcaption { color: var(--soft); font-size: .9rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .8rem;
  margin: 1.2rem 0; padding: 0; list-style: none; }
.tiles li { padding: .7rem .9rem; background: var(--panel); border: 1px solid var(--line);
  border-radius: .5rem; }
.tiles b { display: block; font-size: 1.5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: .8rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); font-size: .9rem; padding-bottom: .3rem; }
th, td { padding: .25rem .8rem .25rem 0; text-align: right; border-bottom: 1px solid var(--line);
  vertical-align: middle; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 25rem), 1fr));
  gap: 1.2rem; align-items: start; }
figure { margin: 0; } img { max-width: 100%; height: auto; border-radius: .4rem; }
audio { width: 15rem; max-width: 60vw; height: 2.2rem; vertical-align: middle; }
"""


def save_report(folder: Path, found: Assessment) -> Path:
    """Write the report and its pictures into a folder.

    Returns:
        The page.

    Raises:
        KwsError: something could not be written.
    """
    make_directory(folder)
    pictures = _Pictures(folder)
    bundle = found.bundle
    body = [_head(bundle, found)]
    if found.clips:
        body.append(_clips(found.clips, pictures))
    if found.stream:
        body.append(_stream(bundle, found.stream, pictures))
    page = folder / PAGE
    title = html.escape(f"{bundle.name}: evaluation")
    atomic_write(
        page,
        f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{_STYLE}</style>
</head>
<body>
{"".join(body)}
</body>
</html>
""".encode(),
    )
    return page


class _Pictures:
    """Draws pictures for both themes; the light ones are files, too."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def figure(self, name: str, draw: Callable[[Theme], bytes], caption: str) -> str:
        light, dark = draw(LIGHT), draw(DARK)
        atomic_write(self._folder / f"{name}.png", light)
        text = html.escape(caption)
        return (
            f'<figure><picture><source media="(prefers-color-scheme: dark)" '
            f'srcset="{_data("image/png", dark)}">'
            f'<img src="{_data("image/png", light)}" alt="{text}"></picture>'
            f"<figcaption>{text}</figcaption></figure>\n"
        )


def _head(bundle: Bundle, found: Assessment) -> str:
    tiles = []
    if found.clips:
        low, high = found.clips.interval
        tiles.append((f"{found.clips.evaluation.accuracy:.2%}", "accuracy on clips"))
        tiles.append((f"{low:.1%} to {high:.1%}", "its 95 % interval, over speakers"))
    if found.stream:
        heard = found.stream.hearing
        low, high = heard.to_json()["false_alarms_an_hour_95"]
        tiles.append((f"{heard.miss_share:.1%}", f"of {heard.total_said} keywords missed"))
        tiles.append((f"{heard.alarms_an_hour:.2f}", "false alarms an hour"))
        tiles.append((f"{low:.2f} to {high:.2f}", f"95 %, from {heard.hours:.1f} hours"))
    settings = bundle.recognizer
    own = ", ".join(f"{label} {value}" for label, value in settings.thresholds.items())
    recognizer = (
        f"window {settings.average_window_ms} ms, threshold {own or settings.detection_threshold}, "
        f"suppression {settings.suppression_ms} ms"
    )
    items = "".join(
        f"<li><b>{html.escape(value)}</b>{html.escape(name)}</li>" for value, name in tiles
    )
    return f"""<h1>{html.escape(bundle.name)}</h1>
<p class="soft">Model {bundle.sha8}, {len(bundle.model):,} bytes, arena {bundle.arena_bytes:,}
bytes; recognizer: {html.escape(recognizer)}. Made by kws {__version__}; all scores are the core's,
as on the device.</p>
<ul class="tiles">{items}</ul>
"""


def _clips(found: Judgement, pictures: _Pictures) -> str:
    evaluation = found.evaluation
    rows = []
    for index, label in enumerate(found.labels):
        low, high = found.recall_interval(index)
        curve = found.curves.get(label)
        rows.append(
            (
                label,
                _percent(evaluation.recall.get(label)),
                f"{low:.1%} to {high:.1%}",
                _percent(evaluation.precision.get(label)),
                f"{curve.area:.4f}" if curve else "",
                f"{curve.equal_error:.1%}" if curve else "",
            )
        )
    head = ("class", "recall", "95 %", "precision", "ROC area", "equal error")
    parts = [
        f"<h2>{evaluation.clips} clips</h2>\n",
        _table("Each class; accuracy is the mean of the recalls", head, rows),
    ]
    if found.others:
        ways = [(name, f"{other.accuracy:.2%}") for name, other in found.others.items()]
        ways.append(("int8, kws core (the device)", f"{evaluation.accuracy:.2%}"))
        parts.append(_table("The same clips, computed by", ("", "accuracy"), ways))
    curves = [
        pictures.figure(
            "confusion",
            lambda theme: plots.confusion(evaluation, found.name, theme),
            "Confusion: a row for what the clip was, a column for what the model said.",
        )
    ]
    if found.curves:
        curves.append(
            pictures.figure(
                "roc",
                lambda theme: plots.roc(found, theme),
                "ROC: how many clips of a keyword its score finds, against how many others it "
                "takes for it.",
            )
        )
        curves.append(
            pictures.figure(
                "det",
                lambda theme: plots.det(found, theme),
                "DET: the same as misses against false positives; nearer to the lower left is "
                "better.",
            )
        )
    curves.append(
        pictures.figure(
            "reliability",
            lambda theme: plots.reliability(found, theme),
            "Calibration: on the dashed line the model is right as often as its score says; a "
            "dot's size is the number of clips.",
        )
    )
    parts.append(f'<div class="figures">{"".join(curves)}</div>\n')
    parts.append("<h2>Noise, level, speakers</h2>\n")
    rest = [
        pictures.figure(
            "conditions",
            lambda theme: plots.conditions(found, theme),
            "Words that are right in noise (above) and at a level (below); dashed: as recorded.",
        )
    ]
    if found.by_speaker:
        rest.append(
            pictures.figure(
                "speakers",
                lambda theme: plots.speakers(found, theme),
                "Speakers by how many of their words are right.",
            )
        )
    parts.append(f'<div class="figures">{"".join(rest)}</div>\n')
    worst = [
        (speaker.name, str(speaker.right), str(speaker.clips)) for speaker in found.by_speaker[:10]
    ]
    if worst:
        parts.append(_table("Speakers who are understood worst", ("", "right", "of"), worst))
    parts.append("<h2>Worst clips</h2>\n")
    heard = [
        (
            f"{clip.truth} taken for {clip.said}",
            str(clip.score),
            str(clip.truth_score),
            _audio(clip.pcm),
            html.escape(f"{clip.file.parent.name}/{clip.file.name}" if clip.file else "background"),
        )
        for clip in found.worst
    ]
    parts.append(
        _table(
            "The surest mistakes first; scores are 0 to 255, soft clips are louder here",
            ("", "its score", "the right one's", "listen", "file"),
            heard,
            raw=(3, 4),
        )
        if heard
        else "<p>Every clip was right.</p>\n"
    )
    return "".join(parts)


def _stream(bundle: Bundle, found: StreamResult, pictures: _Pictures) -> str:
    heard = found.hearing
    facts = heard.to_json()
    rows = [
        (
            word,
            str(entry["said"]),
            str(entry["hits"]),
            str(entry["wrong"]),
            str(entry["missed"]),
            str(entry["false_alarms"]),
            f"{entry['false_alarms_an_hour']:.2f}",
        )
        for word, entry in facts["keywords"].items()
    ]
    head = ("keyword", "said", "hits", "wrong", "missed", "false alarms", "an hour")
    about = "; ".join(f"{key.replace('_', ' ')} {value}" for key, value in found.about.items())
    asked = bundle.metrics.get("calibration", {}).get("asked_false_alarms_an_hour")
    figures = [
        pictures.figure(
            "stream",
            lambda theme: plots.stream_curve(found.curve, heard, asked, theme),
            "Misses against false alarms an hour, as one threshold for all keywords falls; the "
            "star is what the bundle's settings give.",
        )
    ]
    if heard.latencies_ms:
        figures.append(
            pictures.figure(
                "latency",
                lambda theme: plots.latency(heard, theme),
                "When words are reported, in ms after the end of the voice.",
            )
        )
    sounds = [excerpt for trace in found.traces for excerpt in trace.excerpts]
    alarms = [(event, pcm) for event, pcm in sounds if isinstance(event, Alarm)][:_MOST_SOUNDS]
    missed = [(event, pcm) for event, pcm in sounds if not isinstance(event, Alarm)][:_MOST_SOUNDS]
    alarm_rows = [
        (
            event.label,
            str(event.score),
            event.near.label if event.near else "nobody spoke",
            _audio(pcm),
        )
        for event, pcm in alarms
    ]
    missed_rows = [
        (event.label, _audio(pcm), html.escape(event.file.name if event.file else ""))
        for event, pcm in missed
    ]
    parts = [
        f"<h2>{heard.hours:.1f} hours of sound</h2>\n",
        f'<p class="soft">{html.escape(about)}; other words said {heard.others}.</p>\n',
        _table("What was heard", head, rows),
        f'<div class="figures">{"".join(figures)}</div>\n',
    ]
    if alarm_rows:
        names = ("heard", "score", "said was", "listen")
        parts.append(_table("False alarms, some", names, alarm_rows, raw=(3,)))
    if missed_rows:
        parts.append(
            _table("Missed words, some", ("said", "listen", "file"), missed_rows, raw=(1, 2))
        )
    return "".join(parts)


def _table(
    caption: str, head: Sequence[str], rows: Iterable[Sequence[str]], raw: Sequence[int] = ()
) -> str:
    """A table; cells of the columns `raw` are HTML already."""
    names = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in head)
    lines = []
    for row in rows:
        cells = (cell if i in raw else html.escape(cell) for i, cell in enumerate(row))
        lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>\n")
    return (
        f'<div class="scroll"><table><caption>{html.escape(caption)}</caption>'
        f"<thead><tr>{names}</tr></thead>\n<tbody>{''.join(lines)}</tbody></table></div>\n"
    )


def _audio(pcm: Pcm) -> str:
    """A player with the sound in it."""
    peak = max(int(np.abs(pcm.astype(np.int32)).max()), 1)
    louder = pcm * max(1.0, _LISTEN_PEAK / peak)
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(SAMPLE_RATE)
        file.writeframes(np.rint(louder).astype("<i2").tobytes())
    source = _data("audio/wav", buffer.getvalue())
    return f'<audio controls preload="metadata" src="{source}"></audio>'


def _data(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.1%}"
