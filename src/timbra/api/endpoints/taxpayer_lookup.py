"""What the published lists say of one RFC."""

from __future__ import annotations

from starlette.responses import Response

from timbra.api.framework.operation import Operation
from timbra.api.framework.request_context import RequestContext, json_response
from timbra.api.serializers.documents import LrfcAnswer
from timbra.api.serializers.stamps import success
from timbra.service.services import ValidationServices

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
"""Columns of the SAT's list that the server does not have: null."""


async def lrfc(request: RequestContext, services: ValidationServices) -> Response:
    """The row of l_RFC."""
    row = await request.pools.run_database(services.taxpayer_lookup.lrfc, request.parameters["rfc"])
    return json_response(success(LrfcAnswer(row.rfc, row.sncf, row.subcontracting)))


async def article_69b(request: RequestContext, services: ValidationServices) -> Response:
    """The row of the list of article 69-B."""
    row = await request.pools.run_database(services.taxpayer_lookup.article_69b, request.parameters["rfc"])
    return json_response(
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
