"""The drawing of the layers in CONTRIBUTING.md."""

from __future__ import annotations

from tools.layers import PAGE, SUMMARIES, layers, with_drawing

PACKAGES = {package for layer in layers() for package in layer}


def test_contributing_draws_layers_of_the_import_contract() -> None:
    page = PAGE.read_text("utf-8")
    assert with_drawing(page) == page, "run make docs"


def test_summaries_name_packages_of_the_contract() -> None:
    assert set(SUMMARIES) == PACKAGES
