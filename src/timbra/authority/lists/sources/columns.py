"""The columns of l_RFC, by the names of its header.

The list of CFDI 3.3 had three. That of CFDI 4.0 must carry more, for the rules compare with it, but how the SAT names
those columns is not public: the operator configures it (`NAME=field`). An unknown name is rejected, because a
column that is taken for another one would validate invoices wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from timbra.errors import ServiceError

RFC_FIELD = "rfc"
UNUSED = "unused"
FIELDS: Mapping[str, bytes] = MappingProxyType(
    {
        RFC_FIELD: rb"(?:[A-Z&]|\xc3\x91){3,4}[0-9]{6}[A-Z0-9]{3}",
        "name": rb"[^|\r\n]{0,600}",
        "postal_code": rb"(?:[0-9]{5})?",
        "regimes": rb"(?:[0-9]{3}(?:[ ,;][0-9]{3})*)?",
        "withholding": rb"[0-2]?",
        "cancelled": rb"[01]",
        "sncf": rb"[01]",
        "subcontracting": rb"[01]",
        UNUSED: rb"[^|\r\n]{0,600}",
    }
)
"""What a column may hold. withholding: the mark Retención; sncf: a member of the Sistema Nacional de Coordinación
Fiscal; unused: a column that Timbra passes over."""
DOCUMENTED: Mapping[str, str] = MappingProxyType(
    {"RFC": RFC_FIELD, "SNCF": "sncf", "SUBCONTRATACION": "subcontracting"}
)
MOST_COLUMNS = 40


def known_columns(told: str = "") -> dict[str, str]:
    """Header names to fields: the documented ones and those told, "NAME=field" separated by commas.

    ServiceError("list-columns") for a field that does not exist.
    """
    known = dict(DOCUMENTED)
    for pair in filter(None, (part.strip() for part in told.split(","))):
        name, _, field = (part.strip() for part in pair.partition("="))
        if not name or field not in FIELDS:
            raise ServiceError("list-columns", f"{pair}: se espera NOMBRE=campo, con campo uno de {', '.join(FIELDS)}.")
        known[name.upper()] = field
    return known


def fields_of(header: str, known: Mapping[str, str]) -> tuple[str, ...]:
    """The fields that a header line names. ServiceError("list-columns") for a name that is unknown or occurs twice."""
    names = [name.strip().upper() for name in header.removesuffix("|").split("|")]
    unknown = [name for name in names if name not in known]
    if unknown or len(names) > MOST_COLUMNS:
        shown = ", ".join(unknown)[:200]
        raise ServiceError(
            "list-columns", f"Encabezado con columnas desconocidas: {shown}. Indique qué son en TIMBRA_LRFC_COLUMNS."
        )
    fields = tuple(known[name] for name in names)
    used = [field for field in fields if field != UNUSED]
    if RFC_FIELD not in used or len(set(used)) != len(used):
        raise ServiceError("list-columns", f"El encabezado {header[:200]} no trae RFC o repite una columna.")
    return fields


def row_pattern(fields: Sequence[str]) -> re.Pattern[bytes]:
    """Matches whole rows, newline aside. Groups: columns before the RFC, the RFC, columns after it, with their bars."""
    place = fields.index(RFC_FIELD)
    before = b"".join(rb"%b\|" % FIELDS[field] for field in fields[:place])
    after = b"".join(rb"\|%b" % FIELDS[field] for field in fields[place + 1 :])
    return re.compile(rb"^(%b)(%b)(%b)\|?\r?$" % (before, FIELDS[RFC_FIELD], after), re.MULTILINE)


def stored_fields(fields: Sequence[str]) -> tuple[str, ...]:
    """The order of the columns in the packed list: as in the file, without the RFC."""
    return tuple(field for field in fields if field != RFC_FIELD)
