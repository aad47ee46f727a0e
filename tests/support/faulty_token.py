"""A PKCS#11 token that hangs, disappears, or signs wrongly when a test wants it: SoftHSM behind a module of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from tests.support.compiler import compile_library, has_compiler
from tests.support.requirements import need
from tests.support.softhsm import SoftToken, soft_token

SOURCE = Path(__file__).with_name("faulty_pkcs11.c")


@dataclass(frozen=True)
class FaultyToken:
    """A token of SoftHSM with its key, reached through the module that fails.

    Attributes:
        module: The module that fails; other processes use it with `soft.environment`.
        label: The label of the key.
    """

    soft: SoftToken
    module: Path
    label: str
    hang_file: Path
    lost_file: Path
    wrong_file: Path

    def settings(self, sessions: int = 4) -> dict[str, object]:
        """Return the settings of a provider whose key is in this token."""
        return {
            "provider_key_storage": "pkcs11",
            "provider_pkcs11_module": self.module,
            "provider_pkcs11_tokens": self.soft.label,
            "provider_pkcs11_pin": self.soft.pin,
            "provider_pkcs11_sessions": sessions,
            "provider_key_label": self.label,
        }

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """No signature, login or new session of any process returns during the block."""
        self.hang_file.touch()
        try:
            yield
        finally:
            self.hang_file.unlink()

    @contextmanager
    def without_sessions(self) -> Iterator[None]:
        """Every session is invalid during the block."""
        self.lost_file.touch()
        try:
            yield
        finally:
            self.lost_file.unlink()

    @contextmanager
    def with_wrong_signatures(self) -> Iterator[None]:
        """Every signature has a wrong bit during the block."""
        self.wrong_file.touch()
        try:
            yield
        finally:
            self.wrong_file.unlink()

    @contextmanager
    def away(self) -> Iterator[None]:
        """The folder of the tokens does not exist during the block, as when the device is disconnected."""
        with self.soft.away():
            yield


@contextmanager
def faulty_token(folder: Path, key: RSAPrivateKey, label: str = "pac") -> Iterator[FaultyToken]:
    """Yield a token with a key; `need` SoftHSM, python-pkcs11 and a C compiler."""
    need("softhsm", has_compiler(), "no C compiler")
    with soft_token(folder / "softhsm", label) as soft:
        hang_file, lost_file, wrong_file = (folder / name for name in ("hang", "lost", "wrong"))
        names = {"SOFTHSM": soft.module, "HANG_FILE": hang_file, "LOST_FILE": lost_file, "WRONG_FILE": wrong_file}
        defines = [f'-D{name}="{path}"' for name, path in names.items()]
        module = compile_library(SOURCE, folder / "faulty_pkcs11.so", *defines)
        soft.import_key(key, f"{label}-key")
        yield FaultyToken(soft, module, f"{label}-key", hang_file, lost_file, wrong_file)
        hang_file.unlink(missing_ok=True)
