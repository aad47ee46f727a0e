"""The condition of rules about Colonia of receivers and recipients."""

from __future__ import annotations

import re
from typing import Final

from timbra.cfdi.nodes.domicilio import Domicilio
from timbra.rules.engine.context import EvaluationContext
from timbra.rules.shared.addresses import is_in_mexico

_KEY: Final = re.compile(r"[0-9]{4}")


def has_colonia_key(domicilio: Domicilio, ctx: EvaluationContext) -> bool:
    """Whether Colonia is a key: four digits in an address in Mexico. Any other text is a name."""
    colonia = domicilio.Colonia
    return colonia is not None and is_in_mexico(domicilio, ctx) and _KEY.fullmatch(colonia) is not None
