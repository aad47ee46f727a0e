"""The environments of a server, and what differs between them besides the services."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Environment:
    """One environment, named as in `TIMBRA_ENVIRONMENT`.

    Attributes:
        label: Spanish name in texts.
        banner: Text at the top of every page; empty for none.
        authority: Name of the tax authority in texts.
        fiscal_effect: Whether its stamps have fiscal effect.
        requires_signed_lists: Whether only lists that the SAT signed are imported.
        unlimited_accounts: Whether a new account stamps without a balance unless its creator decides otherwise.
        requires_strong_passwords: Whether new passwords must be long and hard to guess.
        limits_signed_fecha: Whether the Fecha of a request that a client signs must be recent unless a setting decides.
        queries_status: Whether the page of an invoice queries its status at the authority when it is opened.
        is_sandbox: Whether the server simulates the authority itself. The other environments run the same code.
    """

    label: str
    banner: str
    authority: str
    fiscal_effect: bool
    requires_signed_lists: bool
    unlimited_accounts: bool
    requires_strong_passwords: bool
    limits_signed_fecha: bool
    queries_status: bool
    is_sandbox: bool


ENVIRONMENTS = {
    "sandbox": Environment(
        label="pruebas",
        banner="Ambiente de pruebas: nada de lo que se timbra aquí tiene validez fiscal.",
        authority="SAT simulado",
        fiscal_effect=False,
        requires_signed_lists=False,
        unlimited_accounts=True,
        requires_strong_passwords=False,
        limits_signed_fecha=False,
        queries_status=True,
        is_sandbox=True,
    ),
    "rehearsal": Environment(
        label="ensayo",
        banner="Ambiente de ensayo: el SAT es un emulador y nada de lo que se timbra aquí tiene validez fiscal.",
        authority="emulador del SAT",
        fiscal_effect=False,
        requires_signed_lists=True,
        unlimited_accounts=False,
        requires_strong_passwords=True,
        limits_signed_fecha=True,
        queries_status=False,
        is_sandbox=False,
    ),
    "production": Environment(
        label="producción",
        banner="",
        authority="SAT",
        fiscal_effect=True,
        requires_signed_lists=True,
        unlimited_accounts=False,
        requires_strong_passwords=True,
        limits_signed_fecha=True,
        queries_status=False,
        is_sandbox=False,
    ),
}
