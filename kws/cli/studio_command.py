# SPDX-License-Identifier: Apache-2.0
"""`kws studio`: the commands on one page."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

DEFAULT_PORT = 8770


def studio(
    project: Annotated[
        Path, typer.Argument(help="Folder of the project; a new one is made.")
    ] = Path("studio"),
    *,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the page. 0 selects a free one.")
    ] = DEFAULT_PORT,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the page in a browser.")
    ] = True,
) -> None:
    """Serve one page that leads from a word to a board, until Ctrl-C."""
    import webbrowser

    from kws.convert.backend import check_tensorflow
    from kws.errors import ToolError
    from kws.file_locks import can_lock_folders
    from kws.files import locked
    from kws.host.studio.project import Project
    from kws.host.studio.server import Server

    if not can_lock_folders():  # and no process groups, with which commands are stopped
        raise ToolError("kws studio runs on Linux and macOS; on Windows, use the commands or WSL")
    check_tensorflow()
    opened = Project(project)
    with locked(opened.path):
        server = Server(opened, port)
        print(f"project {opened.path}\nopen {server.url} in a browser; Ctrl-C stops", flush=True)
        # Without a desktop, Python would open a browser in this terminal.
        has_desktop = sys.platform == "darwin" or os.environ.keys() & {"DISPLAY", "WAYLAND_DISPLAY"}
        if browser and has_desktop:
            webbrowser.open(server.url)
        server.run()
