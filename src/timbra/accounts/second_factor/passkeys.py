"""Passkeys (WebAuthn): a discoverable credential with user verification signs in alone.

A challenge is not stored. It carries its instant and a MAC for one browser and one purpose, and a passkey accepts only
challenges newer than the last one that it signed, so that an answer counts once on all nodes.
"""

from __future__ import annotations

import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from ipaddress import ip_address
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

import orjson

from timbra.accounts.accounts import Accounts
from timbra.accounts.second_factor.second_factors import SecondFactors, owner_of
from timbra.accounts.secrets import SharedSecret
from timbra.accounts.store.passkey_repository import PasskeyRepository, StoredPasskey
from timbra.accounts.store.second_factor_repository import Owner
from timbra.core.caller import Caller
from timbra.core.clock import Clock
from timbra.core.errors import ServiceError
from timbra.database.database import Database
from timbra.events.audit.counts import LOGIN_FAILED, LOGIN_SUCCEEDED, UseCounter
from timbra.seals.encryption.envelope import EnvelopeEncryption

if TYPE_CHECKING:
    from webauthn.authentication.verify_authentication_response import VerifiedAuthentication

T = TypeVar("T")

INVALID = "passkey-invalid"
SECRET = "passkeys"  # noqa: S105
LIFETIME = timedelta(minutes=30)
"""Of a challenge: the page with it may be open for a while."""
ISSUED_BYTES, RANDOM_BYTES, MAC_BYTES = 8, 16, 32
ALGORITHMS = (-7, -8, -257)
"""ES256, EdDSA and RS256, in the numbers of COSE."""
REGISTER, SIGN_IN = "register", "sign-in"


@dataclass(frozen=True, slots=True)
class RelyingParty:
    """The address of the portal, as browsers sign it.

    Attributes:
        origin: Scheme, host and port.
        rp_id: The host, to which passkeys are bound.
    """

    origin: str
    rp_id: str

    @property
    def is_possible(self) -> bool:
        """Whether browsers admit passkeys here: a name, over HTTPS unless it is that of this machine."""
        try:
            ip_address(self.rp_id)
        except ValueError:
            return self.origin.startswith("https://") or self.rp_id == "localhost"
        return False


def site_of(base_url: str) -> RelyingParty:
    """Return the site of a base URL; an impossible one of a text that is none."""
    try:
        parts = urlsplit(base_url)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError:
        return RelyingParty("", "")
    is_usual = port in (None, {"http": 80, "https": 443}.get(parts.scheme))
    return RelyingParty(f"{parts.scheme}://{host}" + ("" if is_usual else f":{port}"), host)


class Passkeys:
    """Passkeys of one database. Methods with a caller are those of its user.

    Their argument `browser` is the secret of the browser's session, which binds challenges to it.
    """

    def __init__(
        self,
        database: Database,
        envelope: EnvelopeEncryption,
        accounts: Accounts,
        factors: SecondFactors,
        wall: Clock,
        uses: UseCounter,
    ) -> None:
        self._database = database
        self._envelope = envelope
        self._accounts = accounts
        self._factors = factors
        self._wall = wall
        self._uses = uses
        self._rows = PasskeyRepository(database)

    def list_passkeys(self, caller: Caller) -> Sequence[StoredPasskey]:
        """Return the passkeys of a user, oldest first."""
        with self._database.read() as transaction:
            return self._rows.list_for(transaction, owner_of(caller))

    def registration_options(self, caller: Caller, site: RelyingParty, browser: str) -> str:
        """Return the options of `navigator.credentials.create`, as JSON."""
        return _json(
            {
                "rp": {"id": site.rp_id, "name": "Timbra"},
                "user": {"id": _base64(_handle(owner_of(caller))), "name": caller.user, "displayName": caller.user},
                "challenge": self._challenge(REGISTER, browser),
                "pubKeyCredParams": [{"type": "public-key", "alg": number} for number in ALGORITHMS],
                "excludeCredentials": [
                    {"type": "public-key", "id": _base64(each.credential_id)} for each in self.list_passkeys(caller)
                ],
                "authenticatorSelection": {
                    "residentKey": "required",
                    "requireResidentKey": True,
                    "userVerification": "required",
                },
                "attestation": "none",
            }
        )

    def sign_in_options(self, site: RelyingParty, browser: str) -> str:
        """Return the options of `navigator.credentials.get` without a list of credentials, as JSON."""
        return _json(
            {"rpId": site.rp_id, "challenge": self._challenge(SIGN_IN, browser), "userVerification": "required"}
        )

    def register(self, caller: Caller, site: RelyingParty, browser: str, name: str, answer: str) -> tuple[str, ...]:
        """Store a passkey of a user.

        Args:
            name: A text by which the user recognizes it.
            answer: The credential of `navigator.credentials.create`, as JSON.

        Returns:
            New recovery codes, which are shown once; empty unless it is the first factor of the user.

        Raises:
            ServiceError: "passkey-invalid".
        """
        from webauthn import verify_registration_response
        from webauthn.helpers import parse_registration_credential_json
        from webauthn.helpers.cose import COSEAlgorithmIdentifier

        credential = _parsed(parse_registration_credential_json, answer)
        challenge, issued = self._verified_challenge(REGISTER, browser, credential.response.client_data_json)
        verified = _parsed(
            lambda: verify_registration_response(
                credential=credential,
                expected_challenge=challenge,
                expected_rp_id=site.rp_id,
                expected_origin=site.origin,
                require_user_verification=True,
                supported_pub_key_algs=[COSEAlgorithmIdentifier(number) for number in ALGORITHMS],
            )
        )
        owner = owner_of(caller)
        with self._database.write() as transaction:
            is_first = not self._factors.has_factor(transaction, owner)
            stored = StoredPasskey(
                0,
                owner,
                name,
                verified.credential_id,
                verified.credential_public_key,
                verified.sign_count,
                self._wall.now(),
            )
            if not self._rows.insert(transaction, stored, issued):
                raise ServiceError(INVALID, "La llave ya está registrada.")
            self._factors.record_added(transaction, caller, {"method": "passkey", "name": name})
            return self._factors.new_codes(transaction, owner) if is_first else ()

    def sign_in(self, site: RelyingParty, browser: str, answer: str) -> Caller:
        """Return the user of a passkey.

        Args:
            answer: The credential of `navigator.credentials.get`, as JSON.

        Raises:
            ServiceError: "passkey-invalid"; "AU2002" for a closed account.
        """
        from webauthn import verify_authentication_response
        from webauthn.helpers import parse_authentication_credential_json

        credential = _parsed(parse_authentication_credential_json, answer)
        challenge, issued = self._verified_challenge(SIGN_IN, browser, credential.response.client_data_json)
        with self._database.read() as transaction:
            stored = self._rows.find(transaction, credential.raw_id)
        if stored is None:
            raise ServiceError(INVALID)
        caller = self._accounts.user_of(stored.owner.account_id, stored.owner.user_id or None)
        is_own = credential.response.user_handle in (None, _handle(stored.owner))

        def verify() -> VerifiedAuthentication:
            return verify_authentication_response(
                credential=credential,
                expected_challenge=challenge,
                expected_rp_id=site.rp_id,
                expected_origin=site.origin,
                credential_public_key=stored.public_key,
                credential_current_sign_count=stored.sign_count,
                require_user_verification=True,
            )

        try:
            self._use(stored, _parsed(verify).new_sign_count if is_own else None, issued)
        except ServiceError:
            self._uses.count(LOGIN_FAILED, caller.account_id, caller.user, caller.user, INVALID)
            raise
        self._uses.count(LOGIN_SUCCEEDED, caller.account_id, caller.user, caller.user)
        return caller

    def _use(self, passkey: StoredPasskey, sign_count: int | None, issued: datetime) -> None:
        """Store a signature; None for one that is not of the user. Raises ServiceError: "passkey-invalid"."""
        if sign_count is None:
            raise ServiceError(INVALID)
        with self._database.write() as transaction:
            if not self._rows.use(transaction, passkey, sign_count, issued, self._wall.now()):
                raise ServiceError(INVALID)

    def remove(self, caller: Caller, number: int) -> None:
        """Remove a passkey of a user; without effect when the user does not have it."""
        with self._database.write() as transaction:
            name = self._rows.delete(transaction, owner_of(caller), number)
            if name is not None:
                self._factors.record_removed(transaction, caller, {"method": "passkey", "name": name})

    @cached_property
    def _secret(self) -> SharedSecret:
        return SharedSecret(self._database, self._envelope, SECRET)

    def _challenge(self, purpose: str, browser: str) -> str:
        issued = int(self._wall.now().timestamp() * 1_000_000).to_bytes(ISSUED_BYTES, "big")
        head = issued + secrets.token_bytes(RANDOM_BYTES)
        return _base64(head + self._mac(purpose, browser, head))

    def _verified_challenge(self, purpose: str, browser: str, client_data: bytes) -> tuple[bytes, datetime]:
        """Return the challenge of an answer and its instant, if it was issued for this browser a while ago."""
        from webauthn.helpers import parse_client_data_json

        challenge = _parsed(parse_client_data_json, client_data).challenge
        head = challenge[: ISSUED_BYTES + RANDOM_BYTES]
        if not hmac.compare_digest(challenge[len(head) :], self._mac(purpose, browser, head)):
            raise ServiceError(INVALID)
        issued = datetime.fromtimestamp(int.from_bytes(head[:ISSUED_BYTES], "big") / 1_000_000, UTC)
        if self._wall.now() - issued > LIFETIME:
            raise ServiceError(INVALID, "La página estuvo abierta demasiado tiempo; inténtelo de nuevo.")
        return challenge, issued

    def _mac(self, purpose: str, browser: str, head: bytes) -> bytes:
        return hmac.digest(self._secret.read(), f"{purpose} {browser} ".encode() + head, "sha256")[:MAC_BYTES]


def _parsed(read: Callable[..., T], *arguments: object) -> T:
    """Call a function of the library on what a browser sent. Raises ServiceError: "passkey-invalid"."""
    from webauthn.helpers.exceptions import WebAuthnException

    try:
        return read(*arguments)
    except (WebAuthnException, ValueError, TypeError, KeyError) as error:
        raise ServiceError(INVALID) from error


def _handle(owner: Owner) -> bytes:
    """Return the user as authenticators store it: numbers, which say nothing about a person."""
    return f"{owner.account_id}:{owner.user_id}".encode()


def _base64(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def _json(options: dict[str, object]) -> str:
    return orjson.dumps(options).decode()
