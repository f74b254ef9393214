# SPDX-License-Identifier: Apache-2.0
"""The report's script: one element, the only one that its page may run."""

from __future__ import annotations

import base64
import hashlib
import re

from kws.model.evaluate.report.html_report import render
from kws.model.evaluate.report.page_files import SITE, content_policy, script_element
from tests.model.evaluate.report.made_evaluation import EVIL, made_evaluation


def test_modules_become_one_script() -> None:
    script = script_element()
    assert not re.search(r"^\s*(import|export)\b", script, re.MULTILINE)
    assert script.count("</script") == 1
    names = re.findall(r"^(?:async )?(?:const|let|function) (\w+)", script, re.MULTILINE)
    assert len(names) == len(set(names)), "modules share a scope, so names occur once"
    for file in SITE.glob("*.js"):
        assert file.read_text().splitlines()[-1].removeprefix("export ") in script, file.name


def test_a_page_may_only_run_its_own_script() -> None:
    page = render(made_evaluation(), [EVIL])
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 2, "its own, and the figures"
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    policy = content_policy(page.encode())
    assert f"script-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none';")
    assert f'content="{policy}"'.replace("'", "&#39;") in page, "also without a server"
    assert page.index(scripts[0]) < page.index("<title>"), "it precedes names from folders"


def test_a_page_without_a_script_may_run_none() -> None:
    assert "script-src 'none'" in content_policy(b"<p>An older report.</p>")
    assert "script-src 'none'" in content_policy(b'<script type="module">without an end')
