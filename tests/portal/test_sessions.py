"""Entering, leaving, and everything that must not get in."""

from __future__ import annotations

import pytest
from tests.portal.browser import Visitor

from timbra.accounts.throttle import BURST

USER = "ana@example.com"
PASSWORD = "una contraseña larga"


def test_a_visitor_without_a_session_is_sent_to_the_door(visitor: Visitor) -> None:
    answer = visitor.get("/portal")

    assert (answer.status_code, answer.headers["location"]) == (303, "/portal/entrar")


def test_the_right_password_opens_a_session(visitor: Visitor) -> None:
    answer = visitor.sign_in(USER)

    assert (answer.status_code, answer.headers["location"]) == (303, "/portal")
    cookie = next(value for value in answer.headers.get_list("set-cookie") if value.startswith("timbra_session"))
    assert "httponly" in cookie.lower()
    assert "samesite=strict" in cookie.lower()
    assert USER in visitor.text


def test_a_wrong_password_says_so_and_keeps_the_name(visitor: Visitor) -> None:
    answer = visitor.sign_in(USER, "otra")

    assert answer.status_code == 422
    assert "timbra_session" not in visitor.cookies
    assert visitor.page is not None
    assert visitor.page.get_element_by_id("user").get("value") == USER


@pytest.mark.parametrize("proof", ["", "0" * 64, "no-ascii-ñ"])
def test_a_forged_form_is_refused(visitor: Visitor, proof: str) -> None:
    visitor.get("/portal/entrar")

    answer = visitor.post("/portal/entrar", {"user": USER, "password": PASSWORD}, proof=proof)

    assert answer.status_code == 403
    assert "timbra_session" not in visitor.cookies


@pytest.mark.parametrize(
    "headers", [{"origin": "https://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}]
)
def test_a_form_of_another_site_is_refused(visitor: Visitor, headers: dict[str, str]) -> None:
    visitor.get("/portal/entrar")

    assert visitor.post("/portal/entrar", {"user": USER, "password": PASSWORD}, headers=headers).status_code == 403


def test_the_proof_of_one_session_is_none_of_another(visitor: Visitor) -> None:
    visitor.get("/portal/entrar")
    before = visitor.proof
    visitor.sign_in(USER)

    assert visitor.proof != before
    assert visitor.post("/portal/salir", {}, proof=before).status_code == 403


def test_a_mark_set_by_somebody_else_is_of_no_use_after_entering(visitor: Visitor) -> None:
    visitor.cookies = {"timbra_visitor": "chosen-by-an-attacker"}
    visitor.sign_in(USER)

    assert "timbra_visitor" not in visitor.cookies
    assert visitor.cookies["timbra_session"] != "chosen-by-an-attacker"


def test_leaving_ends_the_session_of_the_browser(visitor: Visitor) -> None:
    visitor.sign_in(USER)
    answer = visitor.post("/portal/salir", {})

    assert answer.status_code == 303
    assert "timbra_session" not in visitor.cookies
    assert visitor.get("/portal").status_code == 303


def test_a_disabled_account_is_out_at_once(visitor: Visitor) -> None:
    visitor.sign_in(USER)
    visitor.desk.house.accounts.set_active(USER, False)
    visitor.desk.house.poll()

    assert visitor.get("/portal").headers["location"] == "/portal/entrar"
    assert visitor.sign_in(USER).status_code == 422


def test_guessing_is_slowed(visitor: Visitor) -> None:
    answers = [visitor.sign_in(USER, f"guess {number}").status_code for number in range(BURST + 2)]

    assert answers[0] == 422
    assert answers[-1] == 429


def test_a_new_password_ends_old_tokens_and_keeps_this_browser_in(visitor: Visitor) -> None:
    visitor.sign_in(USER)
    old = visitor.cookies["timbra_session"]
    visitor.get("/portal/password")

    fields = {"old": PASSWORD, "new": "otra contraseña larga", "again": "otra contraseña larga"}
    answer = visitor.post("/portal/password", fields)

    assert answer.status_code == 303
    assert visitor.get("/portal?aviso=password").status_code == 200
    assert "La contraseña se cambió" in visitor.text
    visitor.cookies = {"timbra_session": old}
    visitor.desk.house.poll()
    assert visitor.get("/portal").status_code == 303


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"old": "otra", "new": "x" * 12, "again": "x" * 12}, "AU2000"),
        ({"old": PASSWORD, "new": "x" * 12, "again": "y" * 12}, "no son iguales"),
        ({"old": PASSWORD, "new": "", "again": ""}, "contraseña"),
    ],
)
def test_a_password_that_cannot_be_changed_says_why(visitor: Visitor, fields: dict[str, str], words: str) -> None:
    visitor.sign_in(USER)
    visitor.get("/portal/password")

    assert visitor.post("/portal/password", fields).status_code == 422
    assert words in visitor.text


def test_every_answer_carries_the_headers_that_browsers_obey(visitor: Visitor) -> None:
    for path in ("/portal", "/portal/entrar", "/portal/nada", "/estaticos/portal.css", "/"):
        headers = visitor.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_what_does_not_exist_is_a_page_of_its_own(visitor: Visitor) -> None:
    assert visitor.get("/portal/nada").status_code == 404
    assert "no existe" in visitor.text


def test_a_large_form_is_refused(visitor: Visitor) -> None:
    visitor.get("/portal/entrar")

    assert visitor.post("/portal/entrar", {"user": "x" * 100_000, "password": ""}).status_code == 413
