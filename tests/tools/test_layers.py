"""The layers of tests: every test has one, and the tables name what exists."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
from tests.support.layers import LAYERS, PATHS, SLOW_MODULES, layer_of
from tests.support.server import running

TESTS = Path(__file__).parents[1]


@pytest.mark.parametrize(
    ("module", "fixtures", "layer"),
    [
        ("cfdi/test_document", (), "unit"),
        ("core/test_text", (), "unit"),
        ("sandbox/test_clock", ("database",), "integration"),
        ("sat/test_status", (), "integration"),
        ("database/test_codec", (), "integration"),
        ("web/test_browser", ("browser", "sandbox_app"), "e2e"),
    ],
)
def test_layer_of_follows_folder_and_fixtures(module: str, fixtures: tuple[str, ...], layer: str) -> None:
    assert layer_of(PurePosixPath(module), {}, fixtures) == layer


def test_layer_of_is_e2e_when_module_starts_a_server() -> None:
    assert layer_of(PurePosixPath("web/test_running"), {"running": running}, ()) == "e2e"


def test_layer_of_rejects_folder_without_layer() -> None:
    with pytest.raises(LookupError, match="tests/unheard"):
        layer_of(PurePosixPath("unheard/test_of"), {}, ())


def test_layer_is_one_of_the_markers_of_each_test(request: pytest.FixtureRequest) -> None:
    for item in request.session.items:
        assert len([mark for mark in item.iter_markers() if mark.name in LAYERS]) == 1, item.nodeid


def test_layer_tables_name_existing_paths() -> None:
    for path in {*PATHS, *SLOW_MODULES} - {""}:
        assert (TESTS / path).is_dir() or (TESTS / f"{path}.py").is_file(), path
