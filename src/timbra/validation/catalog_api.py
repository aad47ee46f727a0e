"""The SAT's catalogs: what there is, and a search of their keys by words, day and columns."""

from __future__ import annotations

from datetime import date
from importlib.metadata import version

from starlette.responses import Response

from timbra.catalogs.search import CatalogSearch
from timbra.core.errors import ServiceError
from timbra.validation.serializers import CatalogKeysAnswer, catalog_answer, catalog_keys_answer
from timbra.validation.services import ValidationServices
from timbra.web.envelopes import success
from timbra.web.framework.operation import Parameter
from timbra.web.framework.operation_group import OperationGroup
from timbra.web.framework.query_limit import limit_parameter, read_limit
from timbra.web.framework.request_context import RequestContext, json_response, names_entity_tag

PROGRAM = version("timbra")
"""Part of the entity tags: the columns of an answer follow from the program, its keys from the data."""
MAX_KEYS = 500
"""Most keys of an answer."""
MAX_QUERY = 200
MAX_OFFSET = 1_000_000
CACHE_CONTROL = "private, max-age=3600"


async def list_catalogs(request: RequestContext, services: ValidationServices) -> Response:
    """Answer with all catalogs."""
    search = services.catalogs
    tag = f"{PROGRAM}-{search.version}"
    if (unchanged := _unchanged(request, tag)) is not None:
        return unchanged
    found = await request.pools.run_database(lambda: list(search.catalogs()))
    return _cacheable(success([catalog_answer(each) for each in found]), tag)


async def search_catalog(request: RequestContext, services: ValidationServices) -> Response:
    """Answer with the keys of a catalog that a query finds."""
    search, name = services.catalogs, request.parameters["name"]
    query, on = request.query("q") or "", _day(request, services)
    columns, offset = _columns(request.query("where") or ""), _offset(request.query("offset"))
    limit = read_limit(request.query("limit"), MAX_KEYS)
    if len(query) > MAX_QUERY:
        raise ServiceError("TB4005", f"El parámetro q es de {MAX_QUERY} caracteres a lo más.")
    tag = f"{PROGRAM}-{search.version}-{on.isoformat()}"
    answer = await request.pools.run_database(_search, search, name, query, on, columns, slice(offset, offset + limit))
    return _unchanged(request, tag) or _cacheable(success(answer), tag)


def _search(
    search: CatalogSearch, name: str, query: str, on: date, columns: dict[str, str], page: slice
) -> CatalogKeysAnswer:
    try:
        known = search.columns(name)
    except KeyError as error:
        raise ServiceError("TB4041", f"No hay un catálogo {name}; GET /catalogs los enumera.") from error
    unknown = [column for column in columns if column not in known]
    if unknown:
        names = ", ".join(known) or "ninguna"
        raise ServiceError("TB4005", f"{name} no tiene la columna {unknown[0]}; tiene: {names}.")
    keys = search.search(name, query, on, columns)
    entries = (search.entry(name, key, on) for key in keys[page])
    return catalog_keys_answer(name, on, len(keys), [each for each in entries if each is not None])


def _day(request: RequestContext, services: ValidationServices) -> date:
    text = request.query("on")
    if not text:
        return services.today()
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise ServiceError("TB4005", "El parámetro on es un día como 2026-11-28.") from error


def _columns(text: str) -> dict[str, str]:
    """Read `column:value,column:value`."""
    pairs = [part.partition(":") for part in text.split(",") if part.strip()]
    if not all(separator for _, separator, _ in pairs):
        raise ServiceError("TB4005", "El parámetro where es columna:valor, separados por comas.")
    return {name.strip(): value.strip() for name, _, value in pairs}


def _offset(text: str | None) -> int:
    if not text:
        return 0
    if text.isascii() and text.isdigit() and int(text[:8]) <= MAX_OFFSET and len(text) <= len(str(MAX_OFFSET)):
        return int(text)
    raise ServiceError("TB4005", f"El parámetro offset es un entero de 0 a {MAX_OFFSET}.")


def _unchanged(request: RequestContext, tag: str) -> Response | None:
    """Return the answer 304 when the client has the answer of the tag."""
    if names_entity_tag(request.headers.get("if-none-match", ""), f'"{tag}"'):
        return Response(status_code=304, headers=_headers(tag))
    return None


def _cacheable(answer: object, tag: str) -> Response:
    response = json_response(answer)
    response.headers.update(_headers(tag))
    return response


def _headers(tag: str) -> dict[str, str]:
    return {"ETag": f'"{tag}"', "Cache-Control": CACHE_CONTROL}


operation = OperationGroup("catalogs", "/catalogs").build
OPERATIONS = (
    operation(
        "list",
        "GET",
        "",
        list_catalogs,
        "List the catalogs of the SAT",
        "CatalogList",
        description="Those of CFDI 4.0 first; the names of others have the prefix of their standard, such as "
        "`nomina12:c_TipoNomina`. Answers may be cached; they have an `ETag`.",
    ),
    operation(
        "search",
        "GET",
        "/{name}",
        search_catalog,
        "Search the keys of a catalog",
        "CatalogKeys",
        description="Without `q` the keys are in the order of the catalog; with `q` the key itself comes first, then "
        "keys that begin with it, then texts with the words. "
        "`where` follows the dependencies between catalogs: uses of the CFDI by regime "
        "(`regimenes_fiscales_receptores:601`) and person (`aplica_moral:1`), regimes by person, neighborhoods by "
        "postal code (`codigo_postal:20000`), municipalities and localities by state (`estado:AGU`), stations by "
        "transport (`clave_transporte:02`).",
        parameters=(
            Parameter("name", "path", "Name of the catalog, such as `c_UsoCFDI` or `cartaporte31:c_TipoPermiso`."),
            Parameter(
                "q",
                "query",
                "A key or its beginning, or Spanish words in any form, with or without accents; all keys without it.",
            ),
            Parameter("on", "query", "Day on which the keys are valid, such as `2026-11-28`; today without it."),
            Parameter(
                "where",
                "query",
                "Values that columns must have, `column:value,column:value`. A column with several values, separated "
                "by commas, has each of them; `0` is a flag that is not set.",
            ),
            limit_parameter(MAX_KEYS),
            Parameter("offset", "query", "Keys that are left out, for the next page; 0 by default."),
        ),
    ),
)
