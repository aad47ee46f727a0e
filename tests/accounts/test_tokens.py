"""The form of tokens: truncated or quoted tokens and tokens with another signature have different codes."""

from __future__ import annotations

import hashlib
import hmac
import warnings
from base64 import urlsafe_b64encode
from urllib.parse import quote

import jwt
import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.accounts.support import rejected
from tests.seals.support import rejection_of

from timbra.accounts.tokens.tokens import TokenClaims, Tokens, bearer_token

MAX_TOKEN_LENGTH = 4096

SECRET = bytes(range(32))
TOKENS = Tokens(SECRET)
SESSION = TokenClaims(7, "sandbox", 3, "0123456789abcdef", 1_795_175_714, 1_795_182_914)
INFINITE = TokenClaims(7, "sandbox", 3, "0123456789abcdef", 1_795_175_714)
TOKEN = TOKENS.write(SESSION)
HEADER, PAYLOAD, SIGNATURE = TOKEN.split(".")


def part(content: object) -> str:
    return urlsafe_b64encode(orjson.dumps(content)).rstrip(b"=").decode()


def signed(header: object, payload: object = SESSION.token_id, secret: bytes = SECRET) -> str:
    """Return a token with a valid HMAC under `secret` and any header."""
    head = f"{part(header)}.{part(payload)}"
    mac = hmac.digest(secret, head.encode(), hashlib.sha256)
    return f"{head}.{urlsafe_b64encode(mac).rstrip(b'=').decode()}"


def code_of(token: str) -> str:
    return rejected(TOKENS.read, token).code


@pytest.mark.parametrize("claims", [SESSION, INFINITE])
def test_read_returns_the_claims_that_write_encoded(claims: TokenClaims) -> None:
    assert TOKENS.read(TOKENS.write(claims)) == claims


def test_write_makes_a_jwt_that_pyjwt_verifies() -> None:
    claims_of_jwt = jwt.decode(TOKEN, SECRET, ["HS256"], options={"verify_exp": False, "verify_iat": False})
    assert (claims_of_jwt["sub"], claims_of_jwt["exp"]) == ("7", SESSION.expires_at)


@given(st.integers(0, len(TOKEN) - 1))
def test_read_rejects_a_token_truncated_at_its_end(end: int) -> None:
    assert code_of(TOKEN[:end]) == "token-parts"


@given(st.integers(1, len(TOKEN)))
def test_read_rejects_a_token_truncated_at_its_start(start: int) -> None:
    # A header cut at a multiple of four characters is still base64, but no JSON.
    assert code_of(TOKEN[start:]) == "token-parts"


@pytest.mark.parametrize(
    "token",
    [
        "",
        "None",
        "a.b.c",
        "..",
        f"{HEADER}.{PAYLOAD}",
        f"{HEADER}.{PAYLOAD}.",
        f"{HEADER}..{SIGNATURE}",
        f".{PAYLOAD}.{SIGNATURE}",
        f"{TOKEN}.",
        f"{TOKEN}.{SIGNATURE}",
        f'"{TOKEN}"',
        f"'{TOKEN}'",
        f"{TOKEN} ",
        f"{TOKEN}\n",
        f"{TOKEN}\x00",
        TOKEN.replace(".", "%2E"),
        quote(f'"{TOKEN}"'),
        "".join(f"%{ord(character):02X}" for character in TOKEN),
        TOKEN.replace(".", "\\u002e"),
        "é" + TOKEN[1:],
        f"{HEADER}.{PAYLOAD}{'A' * MAX_TOKEN_LENGTH}.{SIGNATURE}",
    ],
)
def test_read_rejects_text_without_three_complete_parts(token: str) -> None:
    assert code_of(token) == "token-parts"


@given(st.integers(0, len(SIGNATURE) - 1), st.sampled_from("AQgw0z-_"))
def test_read_rejects_a_changed_signature(place: int, character: str) -> None:
    changed = SIGNATURE[:place] + character + SIGNATURE[place + 1 :]
    if changed != SIGNATURE:
        assert code_of(f"{HEADER}.{PAYLOAD}.{changed}") == "token-signature"


@given(st.text("AZaz09-_+/=", min_size=1, max_size=40))
@example("A")
@example("==")
@example("A" * MAX_TOKEN_LENGTH)
def test_read_rejects_a_longer_signature(more: str) -> None:
    assert code_of(f"{TOKEN}{more}") == "token-signature"


@given(st.integers(0, len(PAYLOAD) - 1), st.sampled_from("ABab01-_"))
def test_read_rejects_a_changed_payload(place: int, character: str) -> None:
    changed = PAYLOAD[:place] + character + PAYLOAD[place + 1 :]
    if changed != PAYLOAD:
        assert code_of(f"{HEADER}.{changed}.{SIGNATURE}") in {"token-signature", "token-parts"}


def test_read_rejects_a_token_of_another_secret() -> None:
    assert code_of(Tokens(bytes(32)).write(SESSION)) == "token-signature"


@pytest.mark.parametrize("algorithm", ["HS384", "HS512"])
def test_read_rejects_other_algorithms_with_the_right_secret(algorithm: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        token = jwt.encode({"sub": "7"}, SECRET, algorithm)
    assert code_of(token) == "token-signature"
    assert code_of(token[:-1]) == "token-parts"


@pytest.mark.parametrize(
    "header",
    [
        {"alg": "none", "typ": "JWT"},
        {"alg": "RS256"},
        {"alg": 5},
        {},
        {"alg": "HS256", "kid": 5},
        {"alg": "HS256", "crit": ["x"]},
        {"alg": "HS256", "b64": False},
        {"alg": "HS256", "b64": False, "crit": ["b64"]},
    ],
)
def test_read_rejects_headers_with_other_fields(header: dict[str, object]) -> None:
    assert code_of(signed(header, {"sub": "7"})) == "token-signature"


@pytest.mark.parametrize("header", [[], "x", 5, None])
def test_read_rejects_a_header_that_is_no_object(header: object) -> None:
    assert code_of(signed(header, {"sub": "7"})) == "token-parts"


def test_read_rejects_deeply_nested_json() -> None:
    deep = urlsafe_b64encode(b'{"alg":' + b"[" * 1000 + b"]" * 1000 + b"}").rstrip(b"=").decode()
    assert code_of(f"{deep}.{PAYLOAD}.{SIGNATURE}") in {"token-signature", "token-parts"}


PIECES = st.one_of(
    st.text(),
    st.text("abcABC019-_=.%\"' "),
    st.sampled_from(["Bearer", "bearer ", " ", ".", HEADER, PAYLOAD, SIGNATURE, "%22", '"', "None", "\n", "\ud800"]),
    st.dictionaries(st.text(), st.text()).map(part),
)


@given(st.one_of(st.none(), st.lists(PIECES, max_size=9).map("".join)))
def test_read_returns_claims_or_rejects_any_header(header: str | None) -> None:
    code = rejection_of(lambda: TOKENS.read(bearer_token(header)))
    assert code in {None, "AU4101", "token-parts", "token-signature"}
    assert code is not None or (header is not None and TOKEN in header)


@pytest.mark.parametrize("header", ["Bearer x.y.z", "bearer x.y.z", "BEARER x.y.z", "Bearer   x.y.z ", "Bearer\tx.y.z"])
def test_bearer_token_ignores_the_case_of_bearer(header: str) -> None:
    assert bearer_token(header) == "x.y.z"


@pytest.mark.parametrize(
    ("header", "code"),
    [
        (None, "AU4101"),
        ("", "AU4101"),
        ("  ", "AU4101"),
        ("Bearer%20x.y.z", "token-parts"),
        ("Basic dXNlcjpwYXNz", "token-parts"),
        ("Bearerx.y.z", "token-parts"),
        (TOKEN, "token-parts"),
    ],
)
def test_bearer_token_rejects_a_header_without_bearer(header: str | None, code: str) -> None:
    assert rejected(bearer_token, header).code == code


@pytest.mark.parametrize("header", ["Bearer ", "bearer", "bearer ", "BEARER \t"])
def test_bearer_token_rejects_an_empty_token(header: str) -> None:
    assert rejected(bearer_token, header).code == "AU4101"
