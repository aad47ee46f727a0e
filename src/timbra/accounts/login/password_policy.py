"""Which new passwords are accepted: in production, long ones that are hard to guess; existing passwords stay valid."""

from __future__ import annotations

from timbra.core.errors import ServiceError

MIN_LENGTH = 12
MIN_SCORE = 3
"""Of 0 to 4: fewer than 10^8 guesses have a lower score."""
RATED_LENGTH = 72
"""The time of an estimate grows with the cube of the length; a longer password is rated by its beginning."""
OWN_WORDS = ("timbra", "cfdi", "factura", "facturas", "facturacion", "timbres", "timbrado", "sat")
TOO_SHORT = f"Debe tener al menos {MIN_LENGTH} caracteres."
TOO_COMMON = "Es común o fácil de adivinar; use varias palabras sin relación entre sí o un gestor de contraseñas."
SANDBOX_ONLY = "La contraseña se aceptó porque este es un ambiente de pruebas; en producción se rechaza."


class PasswordPolicy:
    """The requirements of new passwords.

    Args:
        enforced: whether a weak password is rejected, as in production.
    """

    def __init__(self, *, enforced: bool) -> None:
        self._enforced = enforced

    def require(self, user: str, password: str) -> None:
        """Check a new password; takes some milliseconds.

        Raises:
            ServiceError: "password-invalid" with the reason, if weak passwords are rejected.
        """
        reason = weakness(user, password) if self._enforced else None
        if reason is not None:
            raise ServiceError("password-invalid", reason)

    def warning(self, user: str, password: str) -> str | None:
        """Return a Spanish warning about an accepted password that production rejects; None for a strong one."""
        reason = weakness(user, password)
        return None if reason is None or self._enforced else f"{SANDBOX_ONLY} {reason}"


def weakness(user: str, password: str) -> str | None:
    """Return why a password is weak, in Spanish; None when it is not.

    Args:
        user: The user name, whose parts make a password easy to guess.
    """
    if len(password) < MIN_LENGTH:
        return TOO_SHORT
    # Imported at first use: its lists of common passwords take a tenth of a second to load.
    from zxcvbn import zxcvbn

    parts = user.replace("@", " ").replace(".", " ").split()
    rating = zxcvbn(password[:RATED_LENGTH], user_inputs=[user, *parts, *OWN_WORDS])
    return TOO_COMMON if rating["score"] < MIN_SCORE else None
