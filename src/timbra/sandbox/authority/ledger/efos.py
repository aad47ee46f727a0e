"""ValidacionEFOS: the parties of a CFDI in the definitive list of article 69-B of the CFF."""

from __future__ import annotations

from collections.abc import Callable, Collection


def validacion_efos(issuer_rfc: str, third_parties: Collection[str], is_definitive: Callable[[str], bool]) -> str:
    """Return the code of ConsultaCFDI. It covers the issuer and the third parties, not the receiver.

    Args:
        third_parties: The RFCs on whose behalf concepts were invoiced.
        is_definitive: Whether an RFC is in the definitive list.

    Returns:
        200 and 201: no party is listed, without and with third parties. 100: the issuer is listed, and there are no
        third parties. 104: the issuer alone is listed. 102: a third party alone is listed. 101: both are listed.
    """
    issuer, third = is_definitive(issuer_rfc), any(map(is_definitive, third_parties))
    if not third_parties:
        return "100" if issuer else "200"
    return {(False, False): "201", (True, False): "104", (False, True): "102", (True, True): "101"}[issuer, third]
