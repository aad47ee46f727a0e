"""What every command shares: the folder of the state, and the house opened on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from timbra.settings import Settings
    from timbra.wiring import House

Data = Annotated[Path | None, typer.Option("--data", help="Folder of all state; made at first use. [env: TIMBRA_DATA]")]


def settings_for(data: Path | None) -> Settings:
    """The settings of the environment, with the folder that the command line names."""
    from timbra.settings import load_settings

    return load_settings() if data is None else load_settings(data=data)


@contextmanager
def opened(data: Path | None) -> Iterator[House]:
    """The house over the state in `data`, with what other processes changed."""
    from timbra.wiring import open_house

    with open_house(settings_for(data)) as house:
        house.poll()
        yield house
