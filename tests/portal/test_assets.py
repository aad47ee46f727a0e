"""What the browser loads comes from this server and is what the project pinned."""

from __future__ import annotations

import hashlib
from importlib.resources import files

VENDOR = files("timbra.portal") / "static" / "vendor"


def test_htmx_has_the_pinned_checksum() -> None:
    wanted, name = (VENDOR / "htmx.sha256").read_text().split()

    assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == wanted
    assert "BSD" in (VENDOR / "htmx.LICENSE").read_text()


def test_templates_load_nothing_from_other_hosts() -> None:
    for folder in ("templates", "static"):
        for file in (files("timbra.portal") / folder).iterdir():
            if file.is_file():
                text = file.read_text("utf-8").replace('xmlns="http://www.w3.org/2000/svg"', "")
                assert "http://" not in text, file.name
                assert "https://" not in text, file.name
