"""Catalogs of the complements of retenciones."""

from __future__ import annotations

RETENCIONES = "retenciones20"
PLATFORMS = "plataformastecnologicas10"
PLANS = "planesderetiro11"

CATALOGS = {
    "CveTipDivOUtil": (RETENCIONES, "c_TipoDividendoOUtilidadDistribuida"),
    "ConceptoPago": (RETENCIONES, "c_TipoContribuyenteSujetoRetencion"),
    "PaisDeResidParaEfecFisc": (RETENCIONES, "c_Pais"),
    "EntidadFederativa": (RETENCIONES, "c_EntidadesFederativas"),
    "EntidadDondePagaLaContribucion": (RETENCIONES, "c_EntidadesFederativas"),
    "Impuesto": (RETENCIONES, "c_TipoImpuesto"),
    "Periodicidad": (RETENCIONES, "c_Periodicidad"),
    "TipoAportacionODeposito": (PLANS, "c_TipoAportODep"),
    "FormaPagoServ": (PLATFORMS, "c_FormaPagoServ"),
    "TipoDeServ": (PLATFORMS, "c_TipoDeServ"),
    "SubTipServ": (PLATFORMS, "c_SubTipoServ"),
}
"""Standard and catalog of the attributes that are keys."""
