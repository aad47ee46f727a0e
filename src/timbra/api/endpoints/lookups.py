"""What the published lists say of one RFC."""

from __future__ import annotations

import asyncio

from starlette.responses import Response

from timbra.api.exchange import Exchange, json_answer
from timbra.api.operations import Operation
from timbra.api.wire import success

PUBLICATIONS = (
    "numero_y_fecha_oficio_global_presuncion",
    "publicacion_pagina_SAT_presuntos",
    "publicacion_DOF_presuntos",
    "publicacion_pagina_SAT_desvirtuados",
    "numero_fecha_oficio_global_contribuyentes_que_desvirtuaron",
    "publicacion_DOF_desvirtuados",
    "numero_fecha_oficio_global_definitivos",
    "publicacion_pagina_SAT_definitivos",
    "publicacion_DOF_definitivos",
    "numero_fecha_oficio_global_sentencia_favorable",
    "publicacion_pagina_SAT_sentencia_favorable",
    "publicacion_DOF_sentencia_favorable",
)
"""Columns of the SAT's list that nobody here can fill: null."""


async def lrfc(exchange: Exchange) -> Response:
    """The row of l_RFC."""
    row = await asyncio.to_thread(exchange.house.lookups.lrfc, exchange.parameters["rfc"])
    return json_answer(success({"contribuyenteRFC": row.rfc, "sncf": row.sncf, "subcontratacion": row.subcontracting}))


async def article_69b(exchange: Exchange) -> Response:
    """The row of the list of article 69-B."""
    row = await asyncio.to_thread(exchange.house.lookups.article_69b, exchange.parameters["rfc"])
    return json_answer(
        success(
            {
                "id": row.rfc,
                "rfc": row.rfc,
                "nombre_Contribuyente": row.name,
                "situacion_del_contribuyente": row.situation,
                **dict.fromkeys(PUBLICATIONS),
            }
        )
    )


OPERATIONS = (
    Operation(
        name="lrfc",
        method="GET",
        paths=("/lrfc/{rfc}",),
        endpoint=lrfc,
        summary="What l_RFC says of an RFC",
        tag="lists",
        answer="Lrfc",
    ),
    Operation(
        name="article-69b",
        method="GET",
        paths=("/taxpayers/{rfc}",),
        endpoint=article_69b,
        summary="What the list of article 69-B says of an RFC",
        tag="lists",
        answer="Article69B",
    ),
)
