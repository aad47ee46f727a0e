"""The page of webhooks: its code verifies what the server signs, it names every event, and its commands run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.page_code import read_page
from tests.support.page_runner import PageRun

from timbra.webhooks.kinds import KINDS
from timbra.webhooks.notification import signature_header

TEST = "webhook.test"

PAGE = read_page(Path(__file__).parents[2] / "docs" / "webhooks.md")
NOW = 1_763_402_400
BODY = '{"id":"evt_1","ñ":1}'.encode()


@pytest.fixture(scope="module")
def verify() -> Callable[..., bool]:
    [sample] = [block.text for block in PAGE.blocks if block.title == "verify.py"]
    names: dict[str, Any] = {}
    exec(compile(sample, "docs/webhooks.md", "exec"), names)
    found: Callable[..., bool] = names["verify"]
    return found


def test_sample_accepts_what_the_server_signs(verify: Callable[..., bool]) -> None:
    header = signature_header(["whsec_new", "whsec_old"], NOW, BODY)
    assert verify(BODY, header, "whsec_new", NOW)
    assert verify(BODY, header, "whsec_old", NOW + 300)


def test_sample_rejects_a_replay_and_other_contents(verify: Callable[..., bool]) -> None:
    header = signature_header(["whsec_new"], NOW, BODY)
    assert not verify(BODY, header, "whsec_new", NOW + 301)
    assert not verify(BODY + b" ", header, "whsec_new", NOW)
    assert not verify(BODY, header, "whsec_other", NOW)
    assert not verify(BODY, header.replace(f"t={NOW}", f"t={NOW + 1}"), "whsec_new", NOW)
    for broken in ("", "t=", "v1=00", "t=x,v1=00", f"t={NOW},t={NOW},v1=00"):
        assert not verify(BODY, broken, "whsec_new", NOW)


def test_page_names_every_event() -> None:
    table = PAGE.text[PAGE.text.index("## Events") : PAGE.text.index("## Signature")]
    for kind in (*KINDS, TEST):
        group, _, step = kind.partition(".")
        assert f"`{kind}`" in table or (f"`{group}." in table and f"`.{step}`" in table), kind


def test_commands_of_the_page_run_as_typed(tmp_path: Path) -> None:
    with PageRun(PAGE, tmp_path) as run:
        run.run()
    assert "webhook.test" in run.output
    assert {path.name for path in run.folder.iterdir()} >= {"verify.py", "receiver.py", "data"}
