"""A signing device in software: a PKCS#11 token of SoftHSM 2 (Debian: softhsm2), with the key of the provider."""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from timbra.seals.signers.pkcs11_session import reinitialize

CONFIGURATION = "SOFTHSM2_CONF"
MODULES = (
    "/usr/lib/softhsm/libsofthsm2.so",
    "/usr/lib/x86_64-linux-gnu/softhsm/libsofthsm2.so",
    "/usr/lib/aarch64-linux-gnu/softhsm/libsofthsm2.so",
    "/usr/lib64/pkcs11/libsofthsm2.so",
    "/usr/local/lib/softhsm/libsofthsm2.so",
    "/opt/homebrew/lib/softhsm/libsofthsm2.so",
)


@dataclass(frozen=True)
class SoftToken:
    """environment: variables with which a process finds the token. folder: its files."""

    module: Path
    label: str
    pin: str
    environment: dict[str, str]
    folder: Path

    @contextmanager
    def session(self) -> Iterator[Any]:
        """Yield a session that can write keys; it uses the login of another session if there is one."""
        pkcs11 = importlib.import_module("pkcs11")
        token = pkcs11.lib(str(self.module)).get_token(token_label=self.label)
        try:
            session = token.open(rw=True, user_pin=self.pin)
        except pkcs11.UserAlreadyLoggedIn:
            session = token.open(rw=True)
        try:
            yield session
        finally:
            session.close()

    def restart(self) -> None:
        """Invalidate every session of this process, as an unplugged token or a restarted HSM does."""
        reinitialize(self.module)

    @contextmanager
    def away(self) -> Iterator[None]:
        """Move the folder of the tokens away during the block, as when a device is disconnected."""
        elsewhere = self.folder.rename(self.folder.with_name("disconnected"))
        try:
            yield
        finally:
            elsewhere.rename(self.folder)

    def import_key(self, key: RSAPrivateKey, label: str) -> None:
        """Import a private key, as `softhsm2-util --import` does."""
        pkcs11 = importlib.import_module("pkcs11")
        decode: Any = importlib.import_module("pkcs11.util.rsa").decode_rsa_private_key
        attributes = decode(key.private_bytes(Encoding.DER, PrivateFormat.TraditionalOpenSSL, NoEncryption()))
        attribute = pkcs11.Attribute
        attributes.update({attribute.LABEL: label, attribute.TOKEN: True, attribute.PRIVATE: True})
        with self.session() as session:
            session.create_object(attributes)


def missing() -> str:
    """Return what a token needs and this machine does not have, in Spanish; empty when nothing is missing."""
    if find_module() is None or shutil.which("softhsm2-util") is None:
        return "no está SoftHSM (Debian: softhsm2)"
    if importlib.util.find_spec("pkcs11") is None:
        return "no está python-pkcs11 (timbra[pkcs11])"
    return ""


@contextmanager
def soft_token(folder: Path, label: str, pin: str = "1234") -> Iterator[SoftToken]:
    """Yield a new token with its files in the folder; the environment of this process finds it during the block.

    Raises:
        RuntimeError: Something is `missing`.
    """
    module, tool = find_module(), shutil.which("softhsm2-util")
    if module is None or tool is None:
        raise RuntimeError(missing())
    (folder / "tokens").mkdir(parents=True)
    configuration = folder / "softhsm2.conf"
    configuration.write_text(f"directories.tokendir = {folder / 'tokens'}\nlog.level = ERROR\n")
    environment = {CONFIGURATION: str(configuration)}
    command = [tool, "--init-token", "--free", "--label", label, "--pin", pin, "--so-pin", "56785678"]
    subprocess.run(command, check=True, capture_output=True, timeout=30, env={**os.environ, **environment})  # noqa: S603 - fixed arguments
    before = os.environ.get(CONFIGURATION)
    os.environ.update(environment)
    token = SoftToken(module, label, pin, environment, folder / "tokens")
    try:
        token.restart()
        yield token
    finally:
        importlib.import_module("pkcs11").lib(str(module)).finalize()
        os.environ.pop(CONFIGURATION)
        if before is not None:
            os.environ[CONFIGURATION] = before


def find_module() -> Path | None:
    """Return the module of SoftHSM; None where it is not installed."""
    return next((Path(path) for path in MODULES if Path(path).is_file()), None)
