"""Form fields that an error is about: the page shows the error below them."""

from __future__ import annotations

from timbra.core.errors import ServiceError

FIELDS = {
    "AU2000": ("password", "old"),
    "AU2002": ("user",),
    "account-exists": ("user",),
    "user-invalid": ("user",),
    "password-invalid": ("password", "new"),
    "second-factor-invalid": ("code",),
    "taxpayer-unknown": ("rfc",),
}
"""Names of form fields by error code, for errors of the services."""


class FieldError(ServiceError):
    """A field of a form that cannot be read.

    Attributes:
        field: Name of the field.
    """

    def __init__(self, field: str, detail: str) -> None:
        super().__init__("TB4005", detail)
        self.field = field


def fields_of(error: ServiceError) -> tuple[str, ...]:
    """Return the names of the fields that an error is about; empty when it is about none or about several."""
    return (error.field,) if isinstance(error, FieldError) else FIELDS.get(error.code, ())
