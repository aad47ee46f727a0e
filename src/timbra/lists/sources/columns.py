"""The columns of l_RFC, by the names of its header.

The list of CFDI 3.3 had three. That of CFDI 4.0 must have more, because the rules compare with them, but the SAT's
names of those columns are not public: the operator configures them (`NAME=field`). An unknown name is rejected, because
a column that is mistaken for another one would validate invoices wrongly.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from timbra.core.errors import ServiceError

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
"""The pattern of each field. withholding: the mark Retención; sncf: a member of the Sistema Nacional de Coordinación
Fiscal; unused: a column that Timbra ignores."""
DOCUMENTED: Mapping[str, str] = MappingProxyType(
    {"RFC": RFC_FIELD, "SNCF": "sncf", "SUBCONTRATACION": "subcontracting"}
)
MAX_COLUMNS = 40


def known_columns(configured: str = "") -> dict[str, str]:
    """Return the field of each header name.

    Args:
        configured: Names in addition to the documented ones: "NAME=field", separated by commas.

    Raises:
        ServiceError: "list-columns" for an unknown field.
    """
    columns = dict(DOCUMENTED)
    for pair in filter(None, (part.strip() for part in configured.split(","))):
        name, _, field = (part.strip() for part in pair.partition("="))
        if not name or field not in FIELDS:
            raise ServiceError("list-columns", f"{pair}: se espera NOMBRE=campo, con campo uno de {', '.join(FIELDS)}.")
        columns[name.upper()] = field
    return columns


def fields_of(header: str, columns: Mapping[str, str]) -> tuple[str, ...]:
    """Return the fields of a header line.

    Args:
        header: The line, names separated by bars.
        columns: The field of each name.

    Raises:
        ServiceError: "list-columns" for an unknown name, a field that occurs twice, or a header without RFC.
    """
    names = [name.strip().upper() for name in header.removesuffix("|").split("|")]
    unknown = [name for name in names if name not in columns]
    if unknown or len(names) > MAX_COLUMNS:
        listed = ", ".join(unknown)[:200]
        raise ServiceError(
            "list-columns", f"Encabezado con columnas desconocidas: {listed}. Indique qué son en TIMBRA_LRFC_COLUMNS."
        )
    fields = tuple(columns[name] for name in names)
    used = [field for field in fields if field != UNUSED]
    if RFC_FIELD not in used or len(set(used)) != len(used):
        raise ServiceError("list-columns", f"El encabezado {header[:200]} no trae RFC o repite una columna.")
    return fields


def row_pattern(fields: Sequence[str]) -> re.Pattern[bytes]:
    """Return the pattern of a row without its newline.

    Its groups are the columns before the RFC, the RFC, and the columns after it, with their bars.
    """
    place = fields.index(RFC_FIELD)
    before = b"".join(rb"%b\|" % FIELDS[field] for field in fields[:place])
    after = b"".join(rb"\|%b" % FIELDS[field] for field in fields[place + 1 :])
    return re.compile(rb"^(%b)(%b)(%b)\|?\r?$" % (before, FIELDS[RFC_FIELD], after), re.MULTILINE)


def stored_fields(fields: Sequence[str]) -> tuple[str, ...]:
    """Return the columns of the packed list: those of the file without the RFC, in the same order."""
    return tuple(field for field in fields if field != RFC_FIELD)
