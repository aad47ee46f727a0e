"""Stylesheets of the cadena original: CFDI 4.0 and 3.3, Retenciones 2.0, each with its complements; TFD 1.1 and 1.0."""

from __future__ import annotations

import json
from collections.abc import Mapping

from lxml import etree

from timbra.snapshot.build.resources import CFD, RETENCIONES, Resources, flat_names, flatten_links, serialized

XSL = "{http://www.w3.org/1999/XSL/Transform}"
DOCUMENTS = {
    "4.0": CFD + "4/cadenaoriginal_4_0/cadenaoriginal_4_0.xslt",
    "3.3": CFD + "3/cadenaoriginal_3_3/cadenaoriginal_3_3.xslt",
    "2.0": RETENCIONES + "2/retenciones.xslt",
}
"""By version: CFDI 4.0 and 3.3, Retenciones 2.0."""
STAMPS = {
    "1.1": CFD + "TimbreFiscalDigital/cadenaoriginal_TFD_1_1.xslt",
    "1.0": CFD + "TimbreFiscalDigital/cadenaoriginal_TFD_1_0.xslt",
}


def stylesheet_files(resources: Resources) -> dict[str, bytes]:
    """Return path in the snapshot -> content; `xslt/index.json` has main file and complements of each version."""
    mains = [*DOCUMENTS.values(), *STAMPS.values()]
    members = resources.closure(mains, "href")
    names = flat_names(members)
    files = {"xslt/index.json": _index(resources, names)}
    for member in members:
        _prepare(resources.root(member), included=member not in mains)
        files[f"xslt/{names[member]}"] = serialized(resources.root(member))
    return files


def _prepare(root: etree._Element, *, included: bool) -> None:
    """Flatten the links, and remove the root template of an included file, which would conflict with the document's."""
    flatten_links(root, "href")
    if included:
        for template in root.findall(f"{XSL}template[@match='/']"):
            root.remove(template)
    inline_values(root)


def inline_values(root: etree._Element) -> None:
    """Replace each run of calls of Requerido and Opcional by one expression with the same result.

    The calls cost libxslt more than the templates: two thirds of the time of a cadena original.
    """
    for first in [call for call in root.iter(f"{XSL}call-template") if _value(call) is not None]:
        parent = first.getparent()
        if parent is None or _value(first.getprevious()) is not None:
            continue
        run = [first]
        while (following := run[-1].getnext()) is not None and _value(following) is not None and not run[-1].tail:
            run.append(following)
        whole = etree.Element(f"{XSL}value-of", select=f"concat({', '.join(str(_value(call)) for call in run)}, '')")
        whole.tail = run[-1].tail
        parent.replace(first, whole)
        for call in run[1:]:
            parent.remove(call)


def _value(element: etree._Element | None) -> str | None:
    """Return the expressions, for `concat`, of a call of Requerido or Opcional with one parameter; None for others."""
    if element is None or element.tag != f"{XSL}call-template" or len(element) != 1:
        return None
    select = element[0].get("select")
    if element[0].get("name") != "valor" or not select:
        return None
    if element.get("name") == "Requerido":
        return f"'|', normalize-space({select})"
    if element.get("name") == "Opcional":
        return f"substring('|', 1, boolean({select})), normalize-space({select})"
    return None


def _index(resources: Resources, names: Mapping[str, str]) -> bytes:
    documents = {
        version: {"file": names[main], "complements": _complements(resources, main)}
        for version, main in DOCUMENTS.items()
    }
    stamps = {version: {"file": names[main]} for version, main in STAMPS.items()}
    return json.dumps({"cfdi": documents, "tfd": stamps}, indent=1, sort_keys=True).encode() + b"\n"


def _complements(resources: Resources, main: str) -> list[str]:
    """Return the namespaces of the elements for which the included files have templates."""
    included = [member for member in resources.closure([main], "href") if member != main]
    return sorted({space for member in included for space in _matched(resources.root(member))})


def _matched(root: etree._Element) -> set[str]:
    patterns = [str(template.get("match", "")) for template in root.iter(f"{XSL}template")]
    prefixes = {part.split(":")[0] for pattern in patterns for part in pattern.split("/") if ":" in part}
    return {str(root.nsmap[prefix]) for prefix in prefixes}
