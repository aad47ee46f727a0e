"""The edition of each catalog of a snapshot: where it comes from, and the day that its content was current."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import PurePosixPath

from timbra.core.errors import ServiceError
from timbra.snapshot.folder import Snapshot
from timbra.snapshot.packed import unpack_keys, unpack_postal_codes, unpack_table

EDITIONS = "editions.json"
CATALOGS = "catalogs/"


@dataclass(frozen=True, slots=True)
class Edition:
    """Where the content of a catalog comes from.

    Attributes:
        source: Name and version of the publication.
        published: Its day, or the first day of its month where only that is known.
    """

    source: str
    published: date


@dataclass(frozen=True, slots=True)
class CatalogEdition:
    """A catalog of a snapshot. name: such as `cfdi40/c_Moneda`. edition: None in a snapshot that does not name it."""

    name: str
    keys: int
    edition: Edition | None


def editions_json(editions: Mapping[str, Edition]) -> bytes:
    """Return the content of `editions.json`, by catalog; the same for the same editions."""
    content = {name: {"published": e.published.isoformat(), "source": e.source} for name, e in editions.items()}
    return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False).encode() + b"\n"


def parse_editions(data: bytes) -> dict[str, Edition]:
    """Parse the content of `editions_json`; ValueError, KeyError, TypeError or AttributeError for another one."""
    content = json.loads(data)
    return {name: Edition(e["source"], date.fromisoformat(e["published"])) for name, e in content.items()}


def catalog_editions(snapshot: Snapshot) -> list[CatalogEdition]:
    """Return the catalogs of a snapshot with the number of their keys, by name.

    Raises:
        ServiceError: "snapshot-damaged" when a file is not as the manifest describes it, or not in its form.
    """
    editions = read_editions(snapshot)
    names = sorted(name for name in snapshot.manifest.files if name.startswith(CATALOGS))
    catalogs = []
    for file in names:
        name = PurePosixPath(file).relative_to(CATALOGS).with_suffix("").as_posix()
        catalogs.append(CatalogEdition(name, _count_keys(file, snapshot.read(file)), editions.get(name)))
    return catalogs


def read_editions(snapshot: Snapshot) -> dict[str, Edition]:
    """Return the editions by catalog; empty for a snapshot that does not name them.

    Raises:
        ServiceError: "snapshot-damaged" when the file is not as the manifest describes it, or not in its form.
    """
    if EDITIONS not in snapshot.manifest.files:
        return {}
    try:
        return parse_editions(snapshot.read(EDITIONS))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ServiceError("snapshot-damaged", f"El archivo {EDITIONS} no tiene la forma esperada: {error}.") from error


def _count_keys(file: str, content: bytes) -> int:
    try:
        if file.endswith(".keys"):
            return len(unpack_keys(content)[1])
        if file.endswith(".table"):
            return len(unpack_table(content).numbers)
        if file.endswith(".postal"):
            return sum(number > 0 for number in unpack_postal_codes(content).numbers)
        return sum(1 for _ in csv.reader(io.StringIO(content.decode("utf-8"), newline=""))) - 1
    except (ValueError, KeyError) as error:
        raise ServiceError("snapshot-damaged", f"El archivo {file} no tiene la forma esperada: {error}.") from error
