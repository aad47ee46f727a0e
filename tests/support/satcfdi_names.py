"""The names of satcfdi that the tests of its client use; `SWSapien` is None where the package is not installed."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    try:
        from satcfdi.cfdi import CFDI
        from satcfdi.create.cancela import cancelacionretencion
        from satcfdi.create.cancela.aceptacionrechazo import Folios, SolicitudAceptacionRechazo
        from satcfdi.create.cancela.cancelacion import Cancelacion, Folio
        from satcfdi.exceptions import ResponseError
        from satcfdi.models import Signer
        from satcfdi.pacs import CancelReason, Environment
        from satcfdi.pacs import sat as sat_module
        from satcfdi.pacs.sat import SAT
        from satcfdi.pacs.swsapien import SWSapien
    except ImportError:
        SWSapien = None

__all__ = [
    "CFDI",
    "SAT",
    "CancelReason",
    "Cancelacion",
    "Environment",
    "Folio",
    "Folios",
    "ResponseError",
    "SWSapien",
    "Signer",
    "SolicitudAceptacionRechazo",
    "cancelacionretencion",
    "sat_module",
]
