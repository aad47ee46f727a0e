"""Pages of text and values: templates in which everything is escaped."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass

from jinja2 import BaseLoader, ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from timbra.rendering.view import InvoiceView


@dataclass(frozen=True, slots=True)
class Mark:
    """What is said at a place of the invoice. kind: `error` or `warning`; text: short, such as a code."""

    kind: str
    text: str


def environment(*loaders: BaseLoader) -> Environment:
    """Templates of the given loaders, with those of this package (`invoice.html`) behind them."""
    made = Environment(
        loader=ChoiceLoader([*loaders, PackageLoader("timbra.rendering")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["data_url"] = data_url
    return made


def data_url(png: bytes) -> str:
    """A picture as an address that carries it."""
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"


def invoice_html(templates: Environment, view: InvoiceView, marks: Mapping[str, Mark] | None = None) -> Markup:
    """The invoice as a fragment, to stand in a page with `invoice.css`. marks: by the path of what they stand at."""
    rendered = templates.get_template("invoice.html").render(view=view, marks=marks or {})
    return Markup(rendered)  # noqa: S704 (every value in it was escaped by the template)
