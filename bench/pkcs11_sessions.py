"""Signatures per second of a PKCS#11 device, by the number of sessions: `python -m bench.pkcs11_sessions`.

Uses the module, tokens, PIN and key of the settings `TIMBRA_PROVIDER_...`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

from timbra.seals.certificates.trust_store import read_certificate_file
from timbra.seals.signers.pkcs11 import Pkcs11Signer
from timbra.seals.signers.pkcs11_pool import Pkcs11Pool
from timbra.settings import Settings, load_settings

SESSIONS = (1, 2, 4, 8)
SECONDS = 3.0
MESSAGE = b"||1.1|00000000-0000-0000-0000-000000000000|" + b"x" * 500 + b"||"


def signatures_per_second(settings: Settings, sessions: int) -> float:
    """Return the rate of that many sessions with each token, each with a thread."""
    if settings.provider_pkcs11_module is None or settings.provider_certificate is None:
        raise SystemExit("TIMBRA_PROVIDER_PKCS11_MODULE and TIMBRA_PROVIDER_CERTIFICATE are needed")
    labels = [label.strip() for label in settings.provider_pkcs11_tokens.split(",")]
    pool = Pkcs11Pool(settings.provider_pkcs11_module, labels, settings.provider_pkcs11_pin, sessions)
    public_key = read_certificate_file(settings.provider_certificate).public_key
    signer = Pkcs11Signer(pool, public_key, label=settings.provider_key_label)
    signer.sign(MESSAGE)
    begun = perf_counter()

    def sign(_: int) -> int:
        made = 0
        while perf_counter() - begun < SECONDS:
            signer.sign(MESSAGE)
            made += 1
        return made

    with ThreadPoolExecutor(pool.size) as threads:
        total = sum(threads.map(sign, range(pool.size)))
    return total / (perf_counter() - begun)


if __name__ == "__main__":
    loaded = load_settings()
    for number in SESSIONS:
        print(f"{number} sessions: {signatures_per_second(loaded, number):.0f} signatures/s")
