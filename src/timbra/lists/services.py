"""The services of lists, which a child process receives by type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from timbra.lists.importer import ListImporter


@dataclass(frozen=True, slots=True)
class ListServices:
    """The import of the SAT's lists.

    Attributes:
        importer: Builds the importer, which knows additional columns of l_RFC, `HEADER=field`.
    """

    importer: Callable[[Sequence[str]], ListImporter]
