# SPDX-License-Identifier: Apache-2.0
"""Serves an exported page on this machine: browsers may refuse local files the microphone."""

from __future__ import annotations

from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from kws.errors import KwsError, os_reason


class _QuietHandler(SimpleHTTPRequestHandler):
    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")  # the page may be exported again
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


def file_server(folder: Path, port: int) -> ThreadingHTTPServer:
    """A server for `folder` on 127.0.0.1; start it with `serve_forever`.

    Args:
        folder: the files to serve.
        port: 0 for any free port; read it from `server_port`.

    Raises:
        KwsError: the port is in use, or this user may not use it.
    """
    handler = partial(_QuietHandler, directory=str(folder))
    try:
        return ThreadingHTTPServer(("127.0.0.1", port), handler)
    except (OSError, OverflowError) as error:
        raise KwsError(f"port {port}: {os_reason(error)}; choose another with --port") from None
