"""The type of each answer by the name of its component schema. The schemas are derived from these types."""

from __future__ import annotations

from typing import Annotated

from timbra.core.features import features
from timbra.web.envelopes import SuccessAnswer

ANSWER_TYPES: dict[str, object] = {
    "SoapFault": Annotated[str, "A fault of SOAP 1.1, in XML."],
    "Text": SuccessAnswer[str],
    "OpenApi": dict[str, object],
}
for feature in features():
    for module in feature.answers:
        ANSWER_TYPES |= feature.read(module, "ANSWERS")
