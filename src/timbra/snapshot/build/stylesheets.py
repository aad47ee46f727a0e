"""Programs of the cadena original: CFDI 4.0, 3.3 and 3.2, Retenciones 2.0 and 1.0 with their complements, TFD."""

from __future__ import annotations

import json

from lxml import etree

from timbra.snapshot.build.cadena_programs import XSL, compile_program
from timbra.snapshot.build.resources import CFD, RETENCIONES, Resources

DOCUMENTS = {
    "4.0": CFD + "4/cadenaoriginal_4_0/cadenaoriginal_4_0.xslt",
    "3.3": CFD + "3/cadenaoriginal_3_3/cadenaoriginal_3_3.xslt",
    "3.2": CFD + "3/cadenaoriginal_3_2/cadenaoriginal_3_2.xslt",
    "2.0": RETENCIONES + "2/retenciones.xslt",
    "1.0": RETENCIONES + "1/retenciones.xslt",
}
"""By version: CFDI 4.0, 3.3 and 3.2, Retenciones 2.0 and 1.0."""
STAMPS = {
    "1.1": CFD + "TimbreFiscalDigital/cadenaoriginal_TFD_1_1.xslt",
    "1.0": CFD + "TimbreFiscalDigital/cadenaoriginal_TFD_1_0.xslt",
}


def program_files(resources: Resources) -> dict[str, bytes]:
    """Return path in the snapshot -> content; `cadena/index.json` has program and complements of each version.

    Raises:
        ServiceError: "snapshot-source" when a stylesheet has something that a program cannot express.
    """
    files = {"cadena/index.json": _index(resources)}
    for kind, mains in (("cfdi", DOCUMENTS), ("tfd", STAMPS)):
        for version, main in mains.items():
            included = [resources.root(member) for member in _included(resources, main)]
            files[f"cadena/{_file(kind, version)}"] = compile_program(resources.root(main), included)
    return files


def _file(kind: str, version: str) -> str:
    return f"{kind}-{version}.json"


def _included(resources: Resources, main: str) -> list[str]:
    return [member for member in resources.closure([main], "href") if member != main]


def _index(resources: Resources) -> bytes:
    documents = {
        version: {"file": _file("cfdi", version), "complements": _complements(resources, main)}
        for version, main in DOCUMENTS.items()
    }
    stamps = {version: {"file": _file("tfd", version)} for version in STAMPS}
    return json.dumps({"cfdi": documents, "tfd": stamps}, indent=1, sort_keys=True).encode() + b"\n"


def _complements(resources: Resources, main: str) -> list[str]:
    """Return the namespaces of the elements for which the included files have templates."""
    return sorted({space for member in _included(resources, main) for space in _matched(resources.root(member))})


def _matched(root: etree._Element) -> set[str]:
    patterns = [str(template.get("match", "")) for template in root.iter(f"{XSL}template")]
    prefixes = {part.split(":")[0] for pattern in patterns for part in pattern.split("/") if ":" in part}
    return {str(root.nsmap[prefix]) for prefix in prefixes}
