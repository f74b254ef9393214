# SPDX-License-Identifier: Apache-2.0
"""The HTTP server of `kws studio`, for one user on this machine.

All work of the page is a command (`tasks.py`) or a change of the project's folder (`project.py`);
the server stores nothing else, so it may be killed and started again at any time.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import re
import secrets
import socket
import threading
import time
import zipfile
from collections.abc import AsyncIterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from kws.audio.pcm import Pcm
from kws.audio.sound_cards import Card
from kws.audio.sound_files import load_clip, to_int16, wav_bytes
from kws.audio.tts.engines.espeak import accents_in, spoken_form
from kws.audio.tts.engines.speech import USUAL_RATE, Draws
from kws.audio.tts.phrase_score import score_phrases
from kws.audio.tts.voice_catalogue import read_catalogue
from kws.audio.tts.voices import find_voices, speak
from kws.errors import KwsError, ToolError, UsageError, os_reason
from kws.features import spectrogram
from kws.files import atomic_write
from kws.host.build.programs import cache_folder
from kws.host.studio.alarms import alarm_facts, answer_alarm
from kws.host.studio.browser_ports import STATES, BrowserPorts
from kws.host.studio.cards import add_card, find_card, sort_card
from kws.host.studio.efforts import EFFORTS, runs_of
from kws.host.studio.guard import TOKEN, Guard
from kws.host.studio.jobs import LOG, BusyError, Jobs
from kws.host.studio.project import BROWSER_PORT, PAGES, Project, labels_of, texts_of
from kws.host.studio.state import downloads, state_of
from kws.host.studio.tasks import make_task
from kws.host.web.site_files import SITE as LIVE_SITE
from kws.model.evaluate.report.html_report import REPORT
from kws.model.evaluate.report.page_figures import figures_in
from kws.model.evaluate.report.page_files import SITE as REPORT_SITE
from kws.model.evaluate.report.page_files import content_policy
from kws.model.wake.sellable import may_be_sold
from kws.model.wake.wake_word import REPORT as REPORT_FOLDER

try:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.exceptions import HTTPException
    from starlette.middleware import Middleware
    from starlette.middleware.gzip import GZipMiddleware
    from starlette.requests import Request
    from starlette.responses import JSONResponse, Response, StreamingResponse
    from starlette.routing import Route

    from kws.host.studio.phone import Phone, Place, qr_code
except ImportError:
    raise ToolError(
        "kws studio needs Starlette and uvicorn, which are not installed: pip install 'kws[studio]'"
    ) from None

HOST = "127.0.0.1"

SITE = Path(__file__).parent / "site"

_SHARED = {
    **dict.fromkeys(("microphone.js", "policy.js"), LIVE_SITE),
    **dict.fromkeys(("controls.js", "dom.js", "plot.js", "theme.css"), REPORT_SITE),
}
"""Files of the live page and of the report that this page uses, too, with their folders."""

_PHONE = {
    "phone.html",
    "phone.js",
    "take_recorder.js",
    "recorder.js",
    "speaker_field.js",
    "parts.js",
    "api.js",
    "texts.js",
    "studio.css",
    "icon.svg",
    *_SHARED,
}
"""Files of the phone's page."""

_MAX_BODY = 1 << 18  # bytes; the longest take has 135,000
_POLL_S = 0.5
_HEARTBEAT_S = 15.0
_MAX_CONNECTIONS = 64
_VOICES = 8
_PITCH = 50.0  # a voice's own

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
    ".png": "image/png",
    ".json": "application/json; charset=utf-8",
}

_REPORT_POLICY = "frame-ancestors 'self'; sandbox allow-scripts"  # added to the report's own
_TRY_POLICY = "frame-ancestors 'self'"  # the page has its own policy


def application(project: Project, port: int, token: str) -> Starlette:
    """The page's server as an ASGI application.

    Args:
        project: the project, which no other server uses.
        port: the port that it is served at.
        token: what a page has to know; see `Guard`.
    """
    studio = _Studio(project)
    routes = [
        Route("/api/state", studio.state),
        Route("/api/events", studio.events),
        Route("/api/settings", studio.save_settings, methods=["PUT"]),
        Route("/api/phrase", studio.phrase),
        Route("/api/say", studio.say),
        Route("/api/voices", studio.voices),
        Route("/api/takes", studio.add_take, methods=["POST"]),
        Route("/api/takes/{word}/{name}", studio.take, methods=["GET"]),
        Route("/api/takes/{word}/{name}", studio.delete_take, methods=["DELETE"]),
        Route("/api/takes/{word}/{name}/spectrogram", studio.take_spectrogram),
        Route("/api/cards", studio.add_card, methods=["POST"]),
        Route("/api/cards/{name}", studio.card, methods=["GET"]),
        Route("/api/cards/{name}", studio.sort_card, methods=["POST"]),
        Route("/api/phone", studio.switch_phone, methods=["POST"]),
        Route("/api/phone.svg", studio.phone_code),
        Route("/api/command", studio.command, methods=["POST"]),
        Route("/api/serial/{page}", studio.serial_events),
        Route("/api/serial/{page}/ports", studio.offer_ports, methods=["PUT"]),
        Route("/api/serial/{page}/{port:int}", studio.serial_data, methods=["POST"]),
        Route("/api/serial/{page}/{port:int}/state", studio.serial_state, methods=["POST"]),
        Route("/api/jobs", studio.start_job, methods=["POST"]),
        Route("/api/jobs/{number:int}/stop", studio.stop_job, methods=["POST"]),
        Route("/api/jobs/{number:int}/log", studio.log),
        Route(f"/runs/{{run}}/{REPORT}", studio.report),
        Route("/api/runs/{run}/sounds", studio.report_sounds),
        Route("/api/runs/{run}/alarms/{number:int}", studio.answer_alarm, methods=["POST"]),
        Route("/try/{effort}/{name:path}", studio.exported_page),
        Route("/downloads/{path:path}", studio.download),
        Route("/{name}", _site_file),
        Route("/", _site_file),
    ]
    return _guarded(routes, port=port, token=token)


def _guarded(routes: list[Route], **guard: Any) -> Starlette:
    """An application of routes; `guard`: arguments of `Guard`."""
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, **guard), Middleware(GZipMiddleware)],
        exception_handlers={KwsError: _kws_error, HTTPException: _http_error},
        max_body_size=_MAX_BODY,
    )
    app.router.redirect_slashes = False
    return app


class Server:
    """Serves a project until Ctrl-C."""

    def __init__(self, project: Project, port: int) -> None:
        """Opens the port; 0 is any free one.

        Raises:
            KwsError: the port is in use.
        """
        try:
            self._socket = socket.create_server((HOST, port))
        except (OSError, OverflowError) as error:
            raise KwsError(f"port {port}: {os_reason(error)}; choose another with --port") from None
        self.port: int = self._socket.getsockname()[1]
        self._token = _token(project.path)
        config = uvicorn.Config(
            application(project, self.port, self._token),
            log_level="warning",
            lifespan="off",
            server_header=False,
            limit_concurrency=_MAX_CONNECTIONS,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)

    @property
    def url(self) -> str:
        """Address that opens the page."""
        return f"http://{HOST}:{self.port}/?{TOKEN}={self._token}"

    def run(self) -> None:
        """Serve until Ctrl-C, which raises KeyboardInterrupt, or `stop`."""
        self._server.run(sockets=[self._socket])

    def stop(self) -> None:
        """End `run`, which is in another thread."""
        self._server.should_exit = True


def _token(project: Path) -> str:
    """The project's token, the same after a restart, so that open pages continue."""
    name = hashlib.sha256(str(project).encode()).hexdigest()[:24]
    file = cache_folder() / "studio" / name
    try:
        if file.stat().st_mode & 0o077 == 0 and len(text := file.read_text().strip()) >= 32:
            return text
    except OSError:
        pass
    token = secrets.token_urlsafe(24)
    atomic_write(file, token.encode())
    file.chmod(0o600)
    return token


class _Studio:
    """The answers of a project's server."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._jobs = Jobs(project)
        self._phone = Phone(self._phone_app)
        self._browser_ports = BrowserPorts(project.path / BROWSER_PORT)
        self._lock = threading.Lock()
        self._state = (0.0, "")

    # --- state ------------------------------------------------------------------------------------

    def _state_text(self) -> str:
        """The state as JSON text, at most `_POLL_S` old; all pages share it."""
        with self._lock:
            made, text = self._state
            if time.monotonic() - made >= _POLL_S:
                place = self._phone.place
                state = state_of(self._project, self._jobs)
                text = json.dumps({**state, "phone": place.url if place else None})
                self._state = (time.monotonic(), text)
            return text

    def _changed(self) -> None:
        with self._lock:
            self._state = (0.0, "")

    def state(self, _: Request) -> Response:
        self._changed()
        return Response(self._state_text(), media_type="application/json")

    async def events(self, request: Request) -> Response:
        async def changes() -> AsyncIterator[str]:
            sent, at = "", 0.0
            while not await request.is_disconnected():
                text = await run_in_threadpool(self._state_text)
                if text != sent:
                    yield f"data: {text}\n\n"
                    sent, at = text, time.monotonic()
                elif time.monotonic() - at > _HEARTBEAT_S:
                    yield ":\n\n"
                    at = time.monotonic()
                await asyncio.sleep(_POLL_S)

        return StreamingResponse(changes(), media_type="text/event-stream")

    # --- word -------------------------------------------------------------------------------------

    async def save_settings(self, request: Request) -> Response:
        body = await _object(request)
        texts = [body.get(key) for key in ("phrase", "language", "data")]
        folders, sellable = body.get("negatives"), body.get("sellable")
        strings = [it for it in (*texts, *(folders or ())) if isinstance(it, str)]
        is_complete = isinstance(folders, list) and len(strings) == len(texts) + len(folders)
        if not is_complete or not isinstance(sellable, bool):
            raise UsageError("the settings are incomplete; reload the page")
        phrase, language, data, *negatives = strings
        save = partial(self._project.save, phrase, language, data, negatives, sellable=sellable)
        await run_in_threadpool(save)
        self._changed()
        return JSONResponse({})

    def phrase(self, request: Request) -> Response:
        phrase, language = _phrase_of(request)
        words = labels_of(phrase)
        if not words:
            raise UsageError("type a word or a phrase")
        spoken = dict(zip(words, texts_of(phrase), strict=True))
        return JSONResponse(score_phrases(words, spoken, accents_in(language)).to_json())

    def say(self, request: Request) -> Response:
        phrase, language = _phrase_of(request)
        number = request.query_params.get("voice", "0")
        voices = find_voices(_VOICES, accents_in(language))
        if not number.isdecimal() or int(number) >= len(voices):
            raise HTTPException(404, "there is no such voice")
        text = ", ".join(texts_of(phrase))
        if not labels_of(phrase):
            raise UsageError("type a word or a phrase")
        return Response(_spoken(text, accents_in(language), int(number)), media_type="audio/wav")

    def voices(self, _: Request) -> Response:
        catalogue = read_catalogue().to_json()
        for voice in catalogue["others"]:
            voice["sellable"] = may_be_sold(voice["licence"])
        return JSONResponse(catalogue)

    # --- recordings -------------------------------------------------------------------------------

    async def add_take(self, request: Request) -> Response:
        pcm = await _samples(request)
        if len(pcm) < 16 * self._project.take_ms:
            raise UsageError("the recording is too short; record it again")
        word, speaker = (request.query_params.get(key, "") for key in ("word", "speaker"))
        file, problem = await run_in_threadpool(self._project.add_take, word, speaker, pcm)
        self._changed()
        answer = {"name": file.name if file else None, "problem": problem or None}
        return JSONResponse(answer, 201 if file else 200)

    def _take_file(self, request: Request) -> Path:
        word, name = (request.path_params[key] for key in ("word", "name"))
        file = self._project.find_take(word, name)
        if file is None:
            raise HTTPException(404, "there is no such recording")
        return file

    def take(self, request: Request) -> Response:
        return Response(wav_bytes(self._take_pcm(request)), media_type="audio/wav")

    def delete_take(self, request: Request) -> Response:
        try:
            self._take_file(request).unlink(missing_ok=True)
        except OSError as error:
            raise KwsError(f"the recording cannot be deleted ({os_reason(error)})") from None
        self._changed()
        return JSONResponse({})

    def take_spectrogram(self, request: Request) -> Response:
        frames = spectrogram.spectrogram(self._take_pcm(request))
        return Response((frames.view(np.uint8) ^ 0x80).tobytes(), media_type=_BYTES)

    def _take_pcm(self, request: Request) -> Pcm:
        return load_clip(self._take_file(request))

    # --- recording with a phone -------------------------------------------------------------------

    async def switch_phone(self, request: Request) -> Response:
        switch = (await _object(request)).get("on")
        if not isinstance(switch, bool):
            raise UsageError("the request is not understood; reload the page")
        await run_in_threadpool(self._phone.start if switch else self._phone.stop)
        self._changed()
        return JSONResponse({})

    def phone_code(self, _: Request) -> Response:
        place = self._phone.place
        if place is None:
            raise HTTPException(404, "recording with a phone is switched off")
        return Response(qr_code(place.url), media_type=_TYPES[".svg"])

    def _phone_app(self, place: Place) -> Starlette:
        """The phone's page: it records, and reads nothing of the project but its words."""
        routes = [
            Route("/api/words", self.words),
            Route("/api/takes", self.add_take, methods=["POST"]),
            Route("/{name}", _phone_file),
            Route("/", _phone_file),
        ]
        return _guarded(
            routes, port=place.port, token=place.token, address=place.address, scheme="https"
        )

    def words(self, _: Request) -> Response:
        takes = [take.word for take in self._project.takes()]
        words = self._project.words
        counts = {word: takes.count(word) for word in words}
        return JSONResponse(
            {"words": list(words), "window_ms": self._project.take_ms, "takes": counts}
        )

    # --- cards ------------------------------------------------------------------------------------

    async def add_card(self, request: Request) -> Response:
        pcm = await _samples(request)
        kind, label, score = (
            request.query_params.get(key, "") for key in ("kind", "label", "score")
        )
        number = int(score) if score.isdecimal() and len(score) <= 3 else -1
        file = await run_in_threadpool(add_card, self._project, kind, label, number, pcm)
        self._changed()
        return JSONResponse({"name": file.name}, 201)

    def _card(self, request: Request) -> Card:
        card = find_card(self._project, request.path_params["name"])
        if card is None:
            raise HTTPException(404, "this sound is already sorted")
        return card

    def card(self, request: Request) -> Response:
        return Response(wav_bytes(load_clip(self._card(request).path)), media_type="audio/wav")

    async def sort_card(self, request: Request) -> Response:
        card, body = self._card(request), await _object(request)
        answer, speaker = (str(body.get(key, "")) for key in ("is", "speaker"))
        problem = await run_in_threadpool(sort_card, self._project, card, answer, speaker)
        self._changed()
        return JSONResponse({"problem": problem or None})

    # --- boards at the browser --------------------------------------------------------------------

    async def serial_events(self, request: Request) -> Response:
        events = self._browser_ports.events(_page_name(request))
        first = await run_in_threadpool(next, events)

        async def lines() -> AsyncIterator[str]:
            event = first
            try:
                while not await request.is_disconnected():
                    yield f"data: {json.dumps(event)}\n\n" if event else ":\n\n"
                    event = await run_in_threadpool(next, events)
            finally:
                events.close()

        return StreamingResponse(lines(), media_type="text/event-stream")

    async def offer_ports(self, request: Request) -> Response:
        ports = (await _object(request)).get("ports")
        if not self._browser_ports.offer(_page_name(request), ports):
            raise UsageError("the request is not understood; reload the page")
        return JSONResponse({})

    async def serial_data(self, request: Request) -> Response:
        where = _page_name(request), str(request.path_params["port"])
        data = await request.body()
        await run_in_threadpool(self._browser_ports.receive, *where, data)
        return JSONResponse({})

    async def serial_state(self, request: Request) -> Response:
        where = _page_name(request), str(request.path_params["port"])
        state = (await _object(request)).get("is")
        if state not in STATES:
            raise UsageError("the request is not understood; reload the page")
        self._browser_ports.answer(*where, state)
        return JSONResponse({})

    # --- jobs -------------------------------------------------------------------------------------

    async def command(self, request: Request) -> Response:
        task = await run_in_threadpool(
            make_task, self._project, await _object(request), self._jobs.last
        )
        return JSONResponse({"command": task.command})

    async def start_job(self, request: Request) -> Response:
        body = await _object(request)

        def start() -> dict[str, Any]:
            task = make_task(self._project, body, self._jobs.last)
            job = self._jobs.start(task)
            if task.action == "home":
                self._project.use_home()
            elif task.action == "record":
                self._project.name_speaker(str(body["speaker"]))
            return job.to_json()

        job = await run_in_threadpool(start)
        self._changed()
        return JSONResponse(job, 201)

    def stop_job(self, request: Request) -> Response:
        self._jobs.stop(request.path_params["number"])
        self._changed()
        return JSONResponse({})

    def log(self, request: Request) -> Response:
        job = self._jobs.find(request.path_params["number"])
        if job is None:
            raise HTTPException(404, "there is no such command")
        return _file(job.folder / LOG, "text/plain; charset=utf-8")

    # --- files of the project ---------------------------------------------------------------------

    def _report_of(self, run: str) -> Path:
        for effort in EFFORTS:
            for one in runs_of(self._project, effort):
                if one.path.name == run:
                    return one.path / REPORT_FOLDER / REPORT
        raise HTTPException(404, "there is no such run")

    def report(self, request: Request) -> Response:
        answer = _file(self._report_of(request.path_params["run"]), _TYPES[".html"])
        policy = content_policy(bytes(answer.body))
        answer.headers["Content-Security-Policy"] = f"{policy}; {_REPORT_POLICY}"
        return answer

    def _figures_of(self, run: str) -> dict[str, Any]:
        """The figures in a run's report; none if the user deleted it."""
        try:
            return figures_in(self._report_of(run).read_bytes())
        except (OSError, ValueError):
            return {}

    def report_sounds(self, request: Request) -> Response:
        """The sounds of a report's false alarms and missed words."""
        figures = self._figures_of(request.path_params["run"])
        alarms = [alarm_facts(self._project, alarm) for alarm in figures.get("alarms", [])]
        return JSONResponse({"alarms": alarms, "missed": figures.get("missed", [])})

    async def answer_alarm(self, request: Request) -> Response:
        mine = (await _object(request)).get("mine")
        if not isinstance(mine, bool):
            raise UsageError("the request is not understood; reload the page")

        def answer() -> Path:
            alarms = self._figures_of(request.path_params["run"]).get("alarms", [])
            if request.path_params["number"] >= len(alarms):
                raise HTTPException(404, "this report has changed; reload the page")
            alarm = alarms[request.path_params["number"]]
            return answer_alarm(self._project, alarm, mine=mine)

        track = await run_in_threadpool(answer)
        self._changed()
        return JSONResponse({"track": track.relative_to(self._project.path).as_posix()})

    def exported_page(self, request: Request) -> Response:
        effort, name = request.path_params["effort"], request.path_params["name"] or "index.html"
        folder = self._project.path / PAGES / effort
        # Without its service worker: the page is made again after each training.
        kind = _TYPES.get(Path(name).suffix) if name != "sw.js" else None
        if effort not in EFFORTS or kind is None or Path(name).name != name:
            raise HTTPException(404, "there is no such page")
        return _file(folder / name, kind, {"Content-Security-Policy": _TRY_POLICY})

    def download(self, request: Request) -> Response:
        path = request.path_params["path"].removesuffix(".zip")
        if path not in downloads(self._project):
            raise HTTPException(404, "there is no such folder")
        folder = self._project.path / path
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted(folder.rglob("*")):
                if file.is_file():
                    archive.write(file, file.relative_to(folder.parent))
        name = f"{folder.name}.zip"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(buffer.getvalue(), headers=headers, media_type="application/zip")


_BYTES = "application/octet-stream"


@lru_cache(maxsize=64)
def _spoken(text: str, languages: tuple[str, ...], number: int) -> bytes:
    voice = find_voices(_VOICES, languages)[number]
    return wav_bytes(to_int16(speak(voice, spoken_form(text), Draws(USUAL_RATE, _PITCH))))


def _phrase_of(request: Request) -> tuple[str, str]:
    query = request.query_params
    phrase, language = query.get("phrase", ""), query.get("language", "en")
    if len(phrase) > 200 or len(language) > 40:
        raise UsageError("this phrase is too long")
    return phrase, language


def _page_name(request: Request) -> str:
    name: str = request.path_params["page"]
    if not re.fullmatch("[0-9a-f]{8,32}", name):
        raise HTTPException(404, "there is no such page")
    return name


async def _samples(request: Request) -> Pcm:
    """The 16-bit samples of a request.

    Raises:
        UsageError: it has something else, or nothing.
    """
    body = await request.body()
    is_sound = request.headers.get("content-type") == "application/octet-stream"
    if not is_sound or not body or len(body) % 2:
        raise UsageError("the body has to be 16-bit samples")
    return np.frombuffer(body, "<i2").astype(np.int16)


async def _object(request: Request) -> dict[str, Any]:
    """The JSON object of a request.

    Raises:
        UsageError: it is something else.
    """
    try:
        body = json.loads(await request.body())
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict):
        raise UsageError("the request is not understood; reload the page")
    return body


def _file(path: Path, kind: str, headers: dict[str, str] | None = None) -> Response:
    try:
        return Response(path.read_bytes(), media_type=kind, headers=headers)
    except OSError:
        raise HTTPException(404, "not found") from None


def _site_file(request: Request) -> Response:
    return _page_file(request.path_params.get("name") or "index.html")


def _phone_file(request: Request) -> Response:
    name = request.path_params.get("name") or "phone.html"
    if name not in _PHONE:
        raise HTTPException(404, "not found")
    return _page_file(name)


def _page_file(name: str) -> Response:
    folder = _SHARED.get(name, SITE)
    known = {file.name for file in folder.iterdir()}
    kind = _TYPES.get(Path(name).suffix)
    if name not in known or kind is None:
        raise HTTPException(404, "not found")
    return _file(folder / name, kind)


def _kws_error(_: Request, error: Exception) -> Response:
    status = 409 if isinstance(error, BusyError) else 400 if isinstance(error, UsageError) else 500
    return JSONResponse({"error": str(error)}, status)


def _http_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101 - for the type checker
    return JSONResponse({"error": error.detail}, error.status_code)
