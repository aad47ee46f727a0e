"""A PKCS#11 token in software (SoftHSM 2) for tests, from Debian's package softhsm2."""

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

from tests.support.requirements import need

from timbra.seals.signers.pkcs11_session import reinitialize

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


@contextmanager
def soft_token(folder: Path, label: str = "timbra-test", pin: str = "1234") -> Iterator[SoftToken]:
    """Yield a new token with its files in the folder; `need` SoftHSM and python-pkcs11."""
    module = next((Path(path) for path in MODULES if Path(path).is_file()), None)
    tool = shutil.which("softhsm2-util")
    need("softhsm", module and tool, "Debian's package softhsm2 is not installed")
    need("softhsm", importlib.util.find_spec("pkcs11"), "python-pkcs11 is not installed")
    assert module is not None
    assert tool is not None
    (folder / "tokens").mkdir(parents=True)
    configuration = folder / "softhsm2.conf"
    configuration.write_text(f"directories.tokendir = {folder / 'tokens'}\nlog.level = ERROR\n")
    environment = {"SOFTHSM2_CONF": str(configuration)}
    command = [tool, "--init-token", "--free", "--label", label, "--pin", pin, "--so-pin", "56785678"]
    subprocess.run(command, check=True, capture_output=True, timeout=30, env={**os.environ, **environment})
    before = os.environ.get("SOFTHSM2_CONF")
    os.environ.update(environment)
    token = SoftToken(module, label, pin, environment, folder / "tokens")
    try:
        token.restart()
        yield token
    finally:
        importlib.import_module("pkcs11").lib(str(module)).finalize()
        os.environ.pop("SOFTHSM2_CONF")
        if before is not None:
            os.environ["SOFTHSM2_CONF"] = before
