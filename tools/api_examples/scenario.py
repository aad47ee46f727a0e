"""All calls by the tags of the OpenAPI document, in the order in which they are sent."""

from __future__ import annotations

from timbra.web.framework.router import placeholders
from tools.api_examples import administration, controls, documents, stamping
from tools.api_examples.calls import Call
from tools.api_examples.recorder import PATHS

DEFAULTS = {"rfc": "{{rfc}}", "uuid": "{{uuid}}"}
"""Values by placeholder, for operations without a call of their own."""


def default_call(operation_id: str) -> Call:
    """Return the call of an operation that has none: a GET whose path needs a stored document or an RFC only.

    Raises:
        LookupError: The operation needs more than that.
    """
    operation, path = PATHS[operation_id]
    needs = [name for name in placeholders(path) if name not in DEFAULTS]
    needs += [each.name for each in operation.parameters if each.place != "path"]
    needs += [payload.media_type for payload in operation.payloads]
    needs += [f"an answer {status}" for status in (*operation.failures, *operation.error_answers)]
    if operation.method != "GET" or needs:
        raise LookupError(
            f"{operation.method} {path} has no example ({', '.join(needs) or 'it changes data'}): add "
            f'Call("{operation_id}", ...) to the calls of its tag {operation.tag} in tools/api_examples, then make docs'
        )
    return Call(operation_id, path={name: DEFAULTS[name] for name in placeholders(path)})


def _scenario() -> tuple[Call, ...]:
    calls = [
        *administration.security(),
        *stamping.calls(),
        *documents.validation(),
        *documents.amounts(),
        *documents.cancellation(),
        *administration.certificates(),
        *documents.stored(),
        *documents.transparency(),
        *administration.lists(),
        *administration.management(),
        *administration.users(),
        *administration.webhooks(),
        *administration.batches(),
        *administration.received(),
        *administration.downloads(),
        *administration.reconciliations(),
        *administration.service(),
    ]
    sandbox = [*controls.sandbox()]
    called = {one.operation_id for one in (*calls, *sandbox)}
    return (*calls, *(default_call(name) for name in PATHS if name not in called), *sandbox)


SCENARIO = _scenario()
LARGE = frozenset({"stamp-zip", "stamp-zip-version"})
"""Operations for documents of at least 10,000 Conceptos, which take seconds."""
