"""The XPath expressions of the SAT's stylesheets, as data for the programs of `timbra.snapshot.build.cadena_programs`.

They select children or descendants by name, or an attribute of them. Any other expression is an error of the build.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from timbra.core.errors import ServiceError

ANY = "*"
_STEP = r"(?:[\w.-]+:[\w.-]+|\*)"
_PATH = re.compile(
    rf"(?P<axis>\./|\.//|/|)(?P<steps>{_STEP}(?:/{_STEP})*)(?:/@(?P<attribute>[\w.-]+))?"
    r"|(?:\./)?@(?P<own>[\w.-]+)"
    r"|(?P<self>\.)"
)


@dataclass(frozen=True, slots=True)
class NodePath:
    """Nodes relative to a context node.

    Attributes:
        axis: `./` children, `.//` descendants, `/` the root element.
        steps: Namespace and local name of each step; (`*`, `*`) is any element.
        attribute: Attribute of the last step, without namespace; empty for the elements themselves.
    """

    axis: str
    steps: tuple[tuple[str, str], ...] = ()
    attribute: str = ""

    @property
    def is_self(self) -> bool:
        """Whether this is the context node."""
        return not self.steps and not self.attribute


def read_path(expression: str, namespaces: Mapping[str, str]) -> NodePath:
    """Read an expression.

    Args:
        expression: XPath.
        namespaces: Prefix -> namespace.

    Raises:
        ServiceError: "snapshot-source" when the expression has another form or an unknown prefix.
    """
    found = _PATH.fullmatch(expression.strip())
    if found is None:
        raise unsupported(f"la expresión {expression!r}")
    if found["steps"] is None:
        return NodePath("./", attribute=found["own"] or "")
    steps = tuple(_step(step, namespaces) for step in found["steps"].split("/"))
    path = NodePath(found["axis"] or "./", steps, found["attribute"] or "")
    if path.axis == "/" and (len(steps) != 1 or path.attribute):
        raise unsupported(f"la expresión {expression!r}")
    return path


def _step(step: str, namespaces: Mapping[str, str]) -> tuple[str, str]:
    if step == ANY:
        return ANY, ANY
    prefix, _, name = step.partition(":")
    if prefix not in namespaces:
        raise unsupported(f"el prefijo {prefix!r} sin espacio de nombres")
    return namespaces[prefix], name


def unsupported(what: str) -> ServiceError:
    """Return the error of a stylesheet with something that programs cannot express."""
    return ServiceError("snapshot-source", f"Una hoja de estilo de la cadena original tiene {what}, no admitida.")
