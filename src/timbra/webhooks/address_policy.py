"""Which addresses a webhook may connect to: no private, local or reserved ones, unless a setting allows them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

from timbra.core.errors import ServiceError

MAX_URL = 2_000
PRIVATE_NETWORKS = "127.0.0.0/8,::1/128,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7"
"""Loopback and private networks, without link-local ones, which have the metadata service of a cloud."""
SETTING = "TIMBRA_WEBHOOK_NETWORKS"
Address = IPv4Address | IPv6Address
_NAT64 = IPv6Network("64:ff9b::/96")
_RESERVED = tuple(map(ip_network, ("192.0.0.0/24", "192.88.99.0/24", "3fff::/20", "fec0::/10")))
"""Networks of protocols, relays, documentation and sites that `ipaddress` does not know in every version of Python."""
_HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?")
_NUMERIC = re.compile(r"(0x[0-9a-fA-F]*|[0-9]+)(\.(0x[0-9a-fA-F]*|[0-9]+)){0,3}\.?")


@dataclass(frozen=True, slots=True)
class AddressPolicy:
    """The addresses and schemes that webhooks may use.

    Attributes:
        networks: Networks that are allowed although they are not public, in CIDR notation, separated by commas.
        requires_https: Whether `http` is rejected.
    """

    networks: str = ""
    requires_https: bool = True

    @property
    def hint(self) -> str:
        """What the address of an endpoint must be, in Spanish."""
        schemes = "https" if self.requires_https else "https o http"
        if self.networks:
            return f"Empieza con {schemes}; también puede ser de la red local, como http://localhost:3000/hook"
        return f"Una dirección pública que empieza con {schemes}"

    def allows(self, address: Address) -> bool:
        """Whether a connection to an address is allowed.

        An IPv6 address that stands for an IPv4 address is allowed if the IPv4 address is.
        """
        if any(address in ip_network(text.strip()) for text in self.networks.split(",") if text.strip()):
            return True
        inner = _inner(address)
        return _is_public(address) if inner is None else self.allows(inner)

    def check_url(self, url: str) -> None:
        """Check the address of a new endpoint. Names are resolved, and checked again, at each delivery.

        Raises:
            ServiceError: "TB4005".
        """
        if len(url) > MAX_URL or not url.isascii() or not url.isprintable() or " " in url:
            raise _invalid(f"debe ser una dirección de hasta {MAX_URL} caracteres, sin espacios ni acentos")
        parts = _split(url)
        if parts.scheme not in ("https", "http"):
            raise _invalid("debe empezar con https://")
        if parts.scheme == "http" and self.requires_https:
            raise _invalid("debe empezar con https://; http solo se admite en un ambiente de pruebas")
        if parts.username is not None or parts.password is not None:
            raise _invalid("no debe llevar usuario ni contraseña")
        if parts.fragment:
            raise _invalid("no debe llevar fragmento (#)")
        self._check_host(parts.hostname or "")

    def _check_host(self, host: str) -> None:
        try:
            address = ip_address(host)
        except ValueError:
            # Systems read 127.1 or 0x7f000001 as addresses, so that they are no names.
            if not _HOST.fullmatch(host) or _NUMERIC.fullmatch(host):
                raise _invalid("no tiene un nombre de servidor válido") from None
            return
        if not self.allows(address):
            raise _invalid(f"es una dirección privada, local o reservada, que {SETTING} no permite")


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        if parts.port == 0:
            raise _invalid("tiene un puerto que no es válido")
    except ValueError as error:
        raise _invalid("no es una dirección válida") from error
    return parts


def _inner(address: Address) -> IPv4Address | None:
    """Return the IPv4 address that an IPv6 address stands for; None without one."""
    if isinstance(address, IPv4Address):
        return None
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address.sixtofour is not None:
        return address.sixtofour
    if address.teredo is not None:
        return IPv4Address(0)
    return IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None


def _is_public(address: Address) -> bool:
    if any(address in network for network in _RESERVED):
        return False
    local = address.is_multicast or address.is_reserved or address.is_unspecified or address.is_loopback
    return address.is_global and not local and not address.is_private and not address.is_link_local


def _invalid(why: str) -> ServiceError:
    return ServiceError("TB4005", f"El campo url {why}.")
