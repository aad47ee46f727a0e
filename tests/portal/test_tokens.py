"""Access tokens, made and revoked by people."""

from __future__ import annotations

import pytest
from tests.portal.browser import Visitor
from tests.support.desk import Desk

from timbra.errors import ServiceError

PLACE = "/portal/tokens"


@pytest.fixture
def ana(visitor: Visitor) -> Visitor:
    visitor.sign_in("ana@example.com")
    visitor.get(PLACE)
    return visitor


def created(visitor: Visitor, label: str = "ERP") -> str:
    visitor.post(PLACE, {"label": label})
    assert visitor.page is not None
    return str(visitor.page.get_element_by_id("token").text_content())


def token_ids(desk: Desk, user: str = "ana@example.com") -> list[str]:
    return [token.token_id for token in desk.house.accounts.list_infinite_tokens(user)]


def test_a_token_works_and_is_shown_once(ana: Visitor) -> None:
    token = created(ana)

    assert ana.desk.house.accounts.caller(f"Bearer {token}").user == "ana@example.com"
    answer = ana.get(PLACE)
    assert "ERP" in ana.text
    assert token not in answer.text


def test_a_revoked_token_is_of_no_use(ana: Visitor) -> None:
    token = created(ana)
    [token_id] = token_ids(ana.desk)

    answer = ana.post(f"{PLACE}/{token_id}/revocar", {})

    assert answer.status_code == 303
    with pytest.raises(ServiceError):
        ana.desk.house.accounts.caller(f"Bearer {token}")
    ana.get(answer.headers["location"])
    assert "El token se revocó" in ana.text
    assert "No hay ninguno" in ana.text


def test_nobody_revokes_the_token_of_another(ana: Visitor) -> None:
    created(ana)
    [token_id] = token_ids(ana.desk)
    ana.desk.account("bea@example.com")
    bea = Visitor(ana.desk)
    bea.sign_in("bea@example.com")

    assert bea.get(PLACE).text.count(token_id) == 0
    assert bea.post(f"{PLACE}/{token_id}/revocar", {}).status_code == 404
    assert token_ids(ana.desk) == [token_id]


@pytest.mark.parametrize("path", [PLACE, f"{PLACE}/x/revocar"])
def test_a_forged_form_does_nothing(ana: Visitor, path: str) -> None:
    assert ana.post(path, {"label": "ERP"}, proof="0" * 64).status_code == 403
    assert token_ids(ana.desk) == []


@pytest.mark.parametrize("label", ["", "   ", "x" * 81, "dos\nlíneas"])
def test_a_label_is_a_short_line(ana: Visitor, label: str) -> None:
    assert ana.post(PLACE, {"label": label}).status_code == 422
    assert token_ids(ana.desk) == []


def test_script_in_a_label_stays_text(ana: Visitor) -> None:
    label = "<script>alert(1)</script>"
    created(ana, label)
    answer = ana.get(PLACE)

    assert label not in answer.text
    assert label in ana.text
