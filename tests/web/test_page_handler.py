"""Error pages for errors that no page handler catches."""

from __future__ import annotations

import pytest
from tests.support.browser import Visitor

from timbra.core.errors import ServiceError
from timbra.stamps.usage import UsageCounter

INTERNAL_ERROR = "El servicio no pudo completar la operación."


def reject(visitor: Visitor, monkeypatch: pytest.MonkeyPatch, error: Exception) -> tuple[int, str]:
    """Return status and text of the usage page when reading the usage raises an error."""

    def days(*_: object) -> None:
        raise error

    visitor.sign_in("ana@example.com")
    monkeypatch.setattr(UsageCounter, "days", days)
    answer = visitor.get("/portal/uso")
    assert visitor.page is not None
    [alert] = visitor.page.xpath("//*[@role='alert']")
    return answer.status_code, " ".join(alert.text_content().split())


def test_error_page_shows_the_detail_of_a_rejection(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    error = ServiceError("TB4005", "Las fechas se escriben como AAAA-MM-DD.")
    expected = "Un parámetro de la petición no es válido. Las fechas se escriben como AAAA-MM-DD."
    status, words = reject(visitor, monkeypatch, error)
    assert status == 400
    assert words.endswith(expected)


def test_error_page_shows_the_sentence_alone_when_there_is_no_detail(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, words = reject(visitor, monkeypatch, ServiceError("TB4041"))
    assert status == 404
    assert words.endswith("No se encuentra lo que se pide.")


def test_error_page_hides_the_detail_of_an_internal_error(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    status, words = reject(visitor, monkeypatch, ServiceError("list-damaged", "ruta interna"))
    assert status == 500
    assert words.endswith(INTERNAL_ERROR)


def test_unexpected_error_of_a_page_is_counted(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = visitor.sandbox_app.container.metrics.counts
    before = counts.get(("internal_errors", ("CO1000",)), 0)
    status, words = reject(visitor, monkeypatch, KeyError("secret"))
    assert (status, "secret" in words) == (500, False)
    assert counts["internal_errors", ("CO1000",)] == before + 1
