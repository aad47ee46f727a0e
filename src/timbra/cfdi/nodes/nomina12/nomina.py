"""The complement itself."""

from __future__ import annotations

from types import MappingProxyType

from lxml import etree

from timbra.cfdi.nodes.base import number
from timbra.cfdi.nodes.complement import ComplementNode, Places
from timbra.cfdi.nodes.nomina12.deducciones import Deducciones
from timbra.cfdi.nodes.nomina12.names import HEAD, TAG
from timbra.cfdi.nodes.nomina12.otros_pagos import Incapacidad, OtroPago
from timbra.cfdi.nodes.nomina12.partes import EmisorNomina, ReceptorNomina
from timbra.cfdi.nodes.nomina12.percepciones import Percepciones


class Nomina(ComplementNode):
    """The complement.

    Attributes:
        percepciones, deducciones: the elements that contain the rows; None when absent.
        otros_pagos, incapacidades: the rows.
        has_otros_pagos, has_incapacidades: whether the element that contains the rows is present.
    """

    __slots__ = (
        "FechaFinalPago",
        "FechaInicialPago",
        "FechaPago",
        "NumDiasPagados",
        "TipoNomina",
        "TotalDeducciones",
        "TotalOtrosPagos",
        "TotalPercepciones",
        "deducciones",
        "dias_pagados",
        "emisor",
        "has_incapacidades",
        "has_otros_pagos",
        "incapacidades",
        "otros_pagos",
        "percepciones",
        "receptor",
        "total_deducciones",
        "total_otros_pagos",
        "total_percepciones",
    )
    HEAD = TEMPLATE = HEAD
    TAG = TAG
    CHILDREN = MappingProxyType(
        {"Emisor": 1, "Receptor": 2, "Percepciones": 3, "Deducciones": 4, "OtrosPagos": 5, "Incapacidades": 6}
    )

    emisor: EmisorNomina | None
    receptor: ReceptorNomina
    percepciones: Percepciones | None
    deducciones: Deducciones | None
    otros_pagos: tuple[OtroPago, ...]
    incapacidades: tuple[Incapacidad, ...]

    def __init__(self, element: etree._Element, places: Places) -> None:
        self.places = places
        get = element.get
        self.TipoNomina = get("TipoNomina", "")
        self.FechaPago = get("FechaPago", "")
        self.FechaInicialPago = get("FechaInicialPago", "")
        self.FechaFinalPago = get("FechaFinalPago", "")
        self.NumDiasPagados = get("NumDiasPagados", "")
        self.TotalPercepciones = get("TotalPercepciones")
        self.TotalDeducciones = get("TotalDeducciones")
        self.TotalOtrosPagos = get("TotalOtrosPagos")
        self.dias_pagados = number(self.NumDiasPagados)
        self.total_percepciones = number(self.TotalPercepciones)
        self.total_deducciones = number(self.TotalDeducciones)
        self.total_otros_pagos = number(self.TotalOtrosPagos)
        self.emisor = self.percepciones = self.deducciones = None
        self.otros_pagos = self.incapacidades = ()
        self.has_otros_pagos = self.has_incapacidades = False
