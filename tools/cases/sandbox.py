"""The sandbox that seals and evaluates the cases: derived keys, a standing clock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from tests.support.rule_set_examples import OnceReported

from timbra.accounts.build import envelope_encryption
from timbra.app.composition import Container, open_container
from timbra.container.build import data_folder
from timbra.messages.codes import public_code
from timbra.sandbox.authority.build import sandbox_authority, sandbox_store
from timbra.sandbox.authority.certificates.authority import SandboxAuthority, own_keys
from timbra.sandbox.build import sandbox_services
from timbra.settings import Settings
from timbra.stamping.build import stamping_services
from timbra.validation.report_sections import UNSTAMPED_CODE
from tools.cases.derived_keys import derived_key
from tools.sandbox_examples import stamping_codes

AT = "2026-11-17T12:10:00-06:00"
"""The fiscal instant at which every case is evaluated, ten minutes after the Fecha of most documents."""
INSTALLATION = 0


class DerivedAuthority(SandboxAuthority):
    """Issues certificates whose keys follow from the RFC."""

    def holder_key(self, rfc: str) -> RSAPrivateKey:
        return derived_key(rfc)


def derived_authority(container: Container) -> SandboxAuthority:
    """Build the authority of the cases; at first use its keys are stored, which every program then uses."""
    store, envelope = container.get(sandbox_store), container.get(envelope_encryption)
    rows = own_keys(envelope, INSTALLATION, derived_key("authority"), derived_key("provider"))
    with store.write() as transaction:
        transaction.keys.insert_missing(rows)
    authority = DerivedAuthority(store, envelope)
    authority.publish(container.get(data_folder) / "certificates")
    return authority


@contextmanager
def open_cases_sandbox(data: Path) -> Iterator[Container]:
    """Open the sandbox of the cases in a data folder, at their fiscal instant."""
    settings = Settings(data=data, environment="sandbox", database_url="")
    with open_container(settings, bindings={sandbox_authority: derived_authority}) as container:
        container.get(sandbox_services).clock_control.set(AT)
        yield container


class CasesSandbox(OnceReported):
    """Makes the documents of rules, and returns the codes of documents as clients read them."""

    def __init__(self, container: Container) -> None:
        super().__init__(container)
        self.services = container.get(sandbox_services)
        self._dependencies = container.get(stamping_services).checks

    def codes(self, xml: bytes, stage: str = "validation") -> list[str]:
        """Return the codes of errors and warnings; that a document has no stamp yet is none of them.

        Args:
            xml: The document.
            stage: `validation`, or `stamping`, which ends at the first error.
        """
        if stage == "stamping":
            return sorted(map(public_code, stamping_codes(self._dependencies, xml)))
        entries = self.report(xml).entries
        return sorted({public_code(entry.code) for entry in entries if entry.code and entry.code != UNSTAMPED_CODE})

    @property
    def data_version(self) -> str:
        """The version of the catalogs."""
        return self._dependencies.reference_data().catalogs.version
