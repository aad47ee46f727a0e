"""A house for commands that only print documents: they leave no folder behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from timbra.cli.opened import opened

if TYPE_CHECKING:
    from timbra.wiring import House

Borrowed = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="Folder whose sandbox seals it, so that `timbra validate` over the same folder knows its certificate; "
        "TIMBRA_DATA if not given, a temporary one without either.",
    ),
]


@contextmanager
def borrowed(data: Path | None) -> Iterator[House]:
    """The house of the folder that is told, or of the usual one where it is; else of one that is gone afterwards."""
    from timbra.settings import load_settings

    settings = load_settings() if data is None else load_settings(data=data)
    if "data" in settings.model_fields_set or settings.data.is_dir():
        with opened(data) as house:
            yield house
    else:
        with TemporaryDirectory(prefix="timbra-") as folder, opened(Path(folder)) as house:
            yield house
