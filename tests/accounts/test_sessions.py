"""Signing in and out, CSRF protection and passwords."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.browser import Visitor
from tests.support.sandbox_app import SandboxApp

from timbra.accounts.build import account_services
from timbra.accounts.login.limits import LoginLimits
from timbra.database.build import opened_database

USER = "ana@example.com"
PASSWORD = "una contraseña larga"

ENDED = "/portal/entrar?aviso=sesion&regreso=%2Fportal%2Ffacturas"


def test_page_redirects_to_sign_in_without_a_session(visitor: Visitor) -> None:
    answer = visitor.get("/portal/facturas")

    assert (answer.status_code, answer.headers["location"]) == (303, "/portal/entrar?regreso=%2Fportal%2Ffacturas")


def test_sign_in_opens_a_session(visitor: Visitor) -> None:
    answer = visitor.sign_in(USER)

    assert (answer.status_code, answer.headers["location"]) == (303, "/portal")
    cookie = next(value for value in answer.headers.get_list("set-cookie") if value.startswith("timbra_session"))
    assert "httponly" in cookie.lower()
    assert "samesite=strict" in cookie.lower()
    assert USER in visitor.text


def test_sign_in_keeps_the_user_name_when_the_password_is_wrong(visitor: Visitor) -> None:
    answer = visitor.sign_in(USER, "otra")

    assert answer.status_code == 422
    assert "timbra_session" not in visitor.cookies
    assert visitor.page is not None
    assert visitor.page.get_element_by_id("user").get("value") == USER


@pytest.mark.parametrize("csrf_token", ["", "0" * 64, "no-ascii-ñ"])
def test_form_with_an_invalid_csrf_token_is_rejected(visitor: Visitor, csrf_token: str) -> None:
    visitor.get("/portal/entrar")

    answer = visitor.post("/portal/entrar", {"user": USER, "password": PASSWORD}, csrf_token=csrf_token)

    assert answer.status_code == 403
    assert "timbra_session" not in visitor.cookies


@pytest.mark.parametrize(
    "headers", [{"origin": "https://evil.example"}, {"origin": "null"}, {"sec-fetch-site": "cross-site"}]
)
def test_form_from_another_origin_is_rejected(visitor: Visitor, headers: dict[str, str]) -> None:
    visitor.get("/portal/entrar")

    assert visitor.post("/portal/entrar", {"user": USER, "password": PASSWORD}, headers=headers).status_code == 403


def test_csrf_token_of_another_session_is_rejected(visitor: Visitor) -> None:
    visitor.get("/portal/entrar")
    before = visitor.csrf_token
    visitor.sign_in(USER)

    assert visitor.csrf_token != before
    assert visitor.post("/portal/salir", {}, csrf_token=before).status_code == 403


def test_sign_in_discards_the_visitor_cookie(visitor: Visitor) -> None:
    visitor.cookies = {"timbra_visitor": "chosen-by-an-attacker"}
    visitor.sign_in(USER)

    assert "timbra_visitor" not in visitor.cookies
    assert visitor.cookies["timbra_session"] != "chosen-by-an-attacker"


def test_sign_out_removes_the_session_cookie(visitor: Visitor) -> None:
    visitor.sign_in(USER)
    answer = visitor.post("/portal/salir", {})

    assert answer.status_code == 303
    assert "timbra_session" not in visitor.cookies
    assert visitor.get("/portal/facturas").status_code == 303


def test_session_ends_when_the_account_is_deactivated(visitor: Visitor) -> None:
    visitor.sign_in(USER)
    visitor.sandbox_app.container.get(account_services).accounts.set_active(USER, False)
    visitor.sandbox_app.container.get(opened_database).poll()

    assert visitor.get("/portal/facturas").headers["location"] == ENDED
    assert visitor.sign_in(USER).status_code == 422


def test_sign_in_throttles_wrong_passwords(visitor: Visitor) -> None:
    answers = [visitor.sign_in(USER, f"guess {number}").status_code for number in range(LoginLimits().failures + 2)]

    assert answers[0] == 422
    assert answers[-1] == 429


def test_password_change_ends_old_sessions_and_renews_this_one(visitor: Visitor) -> None:
    visitor.sign_in(USER)
    old = visitor.cookies["timbra_session"]
    visitor.get("/portal/password")

    fields = {"old": PASSWORD, "new": "otra contraseña larga", "again": "otra contraseña larga"}
    answer = visitor.post("/portal/password", fields)

    assert answer.status_code == 303
    assert visitor.get("/portal/facturas").status_code == 200
    visitor.cookies = {"timbra_session": old}
    visitor.sandbox_app.container.get(opened_database).poll()
    assert visitor.get("/portal/facturas").status_code == 303


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"old": "otra", "new": "x" * 12, "again": "x" * 12}, "son inválidos"),
        ({"old": PASSWORD, "new": "x" * 12, "again": "y" * 12}, "no son iguales"),
        ({"old": PASSWORD, "new": "", "again": ""}, "contraseña"),
    ],
)
def test_password_change_shows_why_it_is_rejected(visitor: Visitor, fields: dict[str, str], words: str) -> None:
    visitor.sign_in(USER)
    visitor.get("/portal/password")

    assert visitor.post("/portal/password", fields).status_code == 422
    assert words in visitor.text


def test_every_response_has_security_headers(visitor: Visitor) -> None:
    for path in ("/portal/facturas", "/portal/entrar", "/portal/nada", "/estaticos/portal.css", "/"):
        headers = visitor.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_unknown_page_answers_404(visitor: Visitor) -> None:
    assert visitor.get("/portal/nada").status_code == 404
    assert "no existe" in visitor.text


def test_form_above_the_size_limit_is_rejected(visitor: Visitor) -> None:
    visitor.get("/portal/entrar")

    assert visitor.post("/portal/entrar", {"user": "x" * 100_000, "password": ""}).status_code == 413


def test_sign_out_ends_a_copied_session_on_the_server(visitor: Visitor) -> None:
    visitor.sign_in(USER)
    thief = Visitor(visitor.sandbox_app)
    thief.cookies = dict(visitor.cookies)
    assert thief.get("/portal/facturas").status_code == 200

    visitor.post("/portal/salir", {})

    assert thief.get("/portal/facturas").headers["location"] == ENDED


def test_scoped_token_opens_no_session(visitor: Visitor) -> None:
    accounts = visitor.sandbox_app.container.get(account_services).accounts
    visitor.cookies["timbra_session"] = accounts.create_infinite_token(USER, "", frozenset({"read"}))

    assert visitor.get("/portal/facturas").headers["location"] == ENDED


@pytest.mark.parametrize(
    ("public_url", "names"),
    [("https://pac.example.com", {"__Host-timbra_session"}), ("", {"timbra_session"})],
)
def test_session_cookie_belongs_to_the_host_over_https(tmp_path: Path, public_url: str, names: set[str]) -> None:
    app = SandboxApp(tmp_path, public_url=public_url)
    visitor = Visitor(app)
    try:
        answer = visitor.sign_in(USER)
        assert answer.status_code == 303
        assert {name for name in visitor.cookies if name.endswith("timbra_session")} == names
        [line] = [line for line in answer.headers.get_list("set-cookie") if "timbra_session=" in line]
        assert ("secure" in line.lower()) is bool(public_url)
        assert "domain" not in line.lower()
        assert visitor.get("/portal/facturas").status_code == 200
        visitor.cookies = {name.removeprefix("__Host-"): value for name, value in visitor.cookies.items()}
        assert visitor.get("/portal/facturas").status_code == (303 if public_url else 200)
    finally:
        app.container.close()
