"""The branding of an account's printed documents: template, colour, footer and logo."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from timbra.core.errors import ServiceError
from timbra.rendering.logo import Logo
from timbra.rendering.view import Field

TEMPLATES = {
    "clasica": "Clásica: encabezado con línea y tablas con encabezado de color",
    "moderna": "Moderna: encabezado sobre fondo de color y renglones alternados",
    "compacta": "Compacta: letra más pequeña y poco color, para documentos largos",
}
"""Templates and their descriptions."""
DEFAULT_TEMPLATE = "clasica"
DEFAULT_COLOR = "#12324f"
MAX_FOOTER = 300
FONT_SIZES = {"compacta": 7.5}
DEFAULT_FONT_SIZE = 8.5
VENDOR_TEMPLATES = re.compile(
    r"(cfdi|pagos?|payments?|nomina|payroll|carta[-_]?porte|billoflading|comercio[-_]?exterior|cce|retencion(es)?|"
    r"retentions?|extended)[-_]?([0-9]{0,2})",
    re.IGNORECASE,
)
"""Names that clients of other providers send: a template for one kind of document. The kind of the document decides."""
_COLOR = re.compile(r"#[0-9a-f]{6}")
MAX_LUMINANCE = 0.55
"""Colours lighter than this cannot be read as letters on paper."""


@dataclass(frozen=True, slots=True)
class Branding:
    """The branding of printed documents.

    Attributes:
        template: key of `TEMPLATES`.
        color: of titles and headings, `#rrggbb`.
        footer: text at the foot of every page.
        logo: image above the issuer's name.
    """

    template: str = DEFAULT_TEMPLATE
    color: str = DEFAULT_COLOR
    footer: str = ""
    logo: Logo | None = field(default=None, repr=False)

    @property
    def font_size(self) -> float:
        """Size of text, in points."""
        return FONT_SIZES.get(self.template, DEFAULT_FONT_SIZE)


DEFAULT_BRANDING = Branding()


@dataclass(frozen=True, slots=True)
class PrintExtras:
    """Data that a client adds to a printed document; they are not part of the CFDI.

    Attributes:
        issuer: lines below the issuer, such as its address.
        receiver: lines below the receiver.
        others: labels and values after the totals.
    """

    issuer: tuple[Field, ...] = ()
    receiver: tuple[Field, ...] = ()
    others: tuple[Field, ...] = ()


def check_template(written: str) -> str:
    """Return the template of a name; case and blanks around it do not count.

    Raises:
        ServiceError: "TB4005" for an unknown template.
    """
    name = written.strip().casefold()
    if name not in TEMPLATES:
        raise ServiceError("TB4005", f"No existe la plantilla «{written[:40]}». Las plantillas son {_names()}.")
    return name


def requested_template(written: str) -> str | None:
    """Return the template that a request names; None when the account's own template is printed.

    Raises:
        ServiceError: "TB4005" for an unknown template.
    """
    name = written.strip()
    if not name or VENDOR_TEMPLATES.fullmatch(name):
        return None
    return check_template(name)


def check_color(written: str) -> str:
    """Return a colour as `#rrggbb`.

    Raises:
        ServiceError: "TB4005" for another form, or for a colour too light to be read.
    """
    color = written.strip().casefold()
    if color and not color.startswith("#"):
        color = f"#{color}"
    if not _COLOR.fullmatch(color):
        raise ServiceError("TB4005", "El color se escribe como #RRGGBB, por ejemplo #12324F.")
    if _luminance(color) > MAX_LUMINANCE:
        raise ServiceError("TB4005", "El color es demasiado claro para leerse sobre papel blanco.")
    return color


def check_footer(written: str) -> str:
    """Return the footer with single blanks. Raises ServiceError: "TB4005" when it is too long."""
    footer = " ".join(written.split())
    if len(footer) > MAX_FOOTER:
        raise ServiceError("TB4005", f"El pie de página tiene más de {MAX_FOOTER} caracteres.")
    return footer


def _names() -> str:
    *others, last = TEMPLATES
    return f"{', '.join(others)} y {last}"


def _luminance(color: str) -> float:
    """Return the relative luminance. Source: WCAG 2.2, relative luminance."""
    channels = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
