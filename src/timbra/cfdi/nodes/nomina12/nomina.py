"""The complement itself."""

from __future__ import annotations

from decimal import Decimal
from types import MappingProxyType

from timbra.cfdi.nodes.complement import ComplementNode
from timbra.cfdi.nodes.fields import number_of, present
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

    HEAD = TEMPLATE = HEAD
    TAG = TAG
    CHILDREN = MappingProxyType(
        {"Emisor": 1, "Receptor": 2, "Percepciones": 3, "Deducciones": 4, "OtrosPagos": 5, "Incapacidades": 6}
    )

    TipoNomina: str
    FechaPago: str
    FechaInicialPago: str
    FechaFinalPago: str
    NumDiasPagados: str
    TotalPercepciones: str | None
    TotalDeducciones: str | None
    TotalOtrosPagos: str | None
    dias_pagados: Decimal = number_of("NumDiasPagados")
    total_percepciones: Decimal = number_of("TotalPercepciones")
    total_deducciones: Decimal = number_of("TotalDeducciones")
    total_otros_pagos: Decimal = number_of("TotalOtrosPagos")
    emisor: EmisorNomina | None
    percepciones: Percepciones | None
    deducciones: Deducciones | None
    otros_pagos: tuple[OtroPago, ...]
    incapacidades: tuple[Incapacidad, ...]
    has_otros_pagos: bool = present("OtrosPagos")
    has_incapacidades: bool = present("Incapacidades")
    receptor: ReceptorNomina
