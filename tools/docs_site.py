# SPDX-License-Identifier: Apache-2.0
"""The documentation as a site: mkdocs calls the hook, `make docs` checks the links of the result.

Pages link to files outside docs/, such as ../README.md. GitHub follows these links. In the site
they lead to the repository if pyproject.toml names one; otherwise only their text is kept.
"""

from __future__ import annotations

import os
import re
import sys
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"

_CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\((\.\./[^)\s]*)\)")


def on_page_markdown(markdown: str, *, page: Page, **_: object) -> str:
    """Change links that leave docs/; mkdocs calls this for each page."""
    return outside_links(markdown, (DOCS / page.file.src_uri).parent, repository())


def repository() -> str | None:
    """The repository's address in pyproject.toml."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        address = tomllib.load(file)["project"].get("urls", {}).get("Repository")
    return str(address).rstrip("/") if address else None


def outside_links(markdown: str, folder: Path, address: str | None) -> str:
    """A page's text with links out of docs/ as links to the repository, or as text."""

    def changed(match: re.Match[str]) -> str:
        text, link = match.groups()
        path, mark, heading = link.partition("#")
        target = Path(os.path.normpath(folder / path))
        if target.is_relative_to(DOCS):
            return match[0]
        if address is None:
            return text
        return f"[{text}]({address}/blob/main/{target.relative_to(ROOT).as_posix()}{mark}{heading})"

    return "".join(
        part if i % 2 else _LINK.sub(changed, part) for i, part in enumerate(_CODE.split(markdown))
    )


class _Page(HTMLParser):
    """Collects the links, the resources and the ids of a page."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.resources: list[str] = []
        self.ids: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value is not None}
        self.ids |= {values[name] for name in ("id", "name") if name in values}
        if "src" in values:
            self.resources.append(values["src"])
        if "href" in values:
            (self.resources if tag == "link" else self.links).append(values["href"])


def dead_links(site: Path) -> Iterator[str]:
    """Links of a built site to missing files or headings, and resources of other sites."""
    pages = {path: _Page(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        if path.name == "404.html":  # its links begin at the site's root
            continue
        name = path.relative_to(site)
        for link in page.resources:
            if urlsplit(link).netloc:
                yield f"{name}: {link} is on another site"
        for link in page.links + page.resources:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
            if target.is_dir():
                target /= "index.html"
            ids = pages[target].ids if target in pages else set()
            heading = unquote(parts.fragment)
            if not target.exists() or (heading and target in pages and heading not in ids):
                yield f"{name}: {link} leads nowhere"


def main(site: Path) -> str | None:
    """Print the dead links of a site; return an exit message if there are any."""
    found = list(dead_links(site.resolve()))
    for line in found:
        print(line)
    pages = len(list(site.rglob("*.html")))
    print(f"{site}/index.html: {pages} pages")
    return f"{len(found)} dead links" if found else None


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
