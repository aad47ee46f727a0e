"""Environment variables of `timbra dev`: the credentials of its account, which another container knows in advance."""

from __future__ import annotations

import re
from collections.abc import Mapping

from timbra.cli.development.preparation import fail
from timbra.console.language import translate
from timbra.sandbox.seeding.setup import PASSWORD, USER, DevelopmentCredentials

PREFIX = "TIMBRA_DEV_"
USER_VARIABLE = "TIMBRA_DEV_USER"
PASSWORD_VARIABLE = "TIMBRA_DEV_PASSWORD"  # noqa: S105 - a name
TOKEN_VARIABLE = "TIMBRA_DEV_TOKEN"  # noqa: S105 - a name
VARIABLES = (USER_VARIABLE, PASSWORD_VARIABLE, TOKEN_VARIABLE)
MIN_TOKEN_LENGTH = 16
MAX_TOKEN_LENGTH = 4096
TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")
"""The characters of a bearer token. Source: RFC 6750, section 2.1."""


def read_credentials(environment: Mapping[str, str]) -> DevelopmentCredentials:
    """Return the credentials of the variables; an empty variable has no effect.

    Args:
        environment: Environment variables.

    Raises:
        typer.Exit: With code 1, after one sentence: a variable with the prefix is unknown, or a value is invalid.
    """
    unknown = sorted(name for name in environment if name.startswith(PREFIX) and name not in VARIABLES)
    if unknown:
        sentence = translate("{name} is not a variable of `timbra dev`; it has {variables}.")
        fail(sentence.format(name=unknown[0], variables=", ".join(VARIABLES)))
    user, password, token = (environment.get(name, "") for name in VARIABLES)
    if user.strip() != user or not user.isprintable() or " " in user:
        fail(translate("{name} must be a user name without blanks.").format(name=USER_VARIABLE))
    if token and not (MIN_TOKEN_LENGTH <= len(token) <= MAX_TOKEN_LENGTH and TOKEN.fullmatch(token)):
        sentence = translate("{name} must have {least} to {most} letters, digits or . _ ~ + / - characters.")
        fail(sentence.format(name=TOKEN_VARIABLE, least=MIN_TOKEN_LENGTH, most=MAX_TOKEN_LENGTH))
    return DevelopmentCredentials(user or USER, password or PASSWORD, token)
