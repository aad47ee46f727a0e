"""The host names of the vendor's test service, which some clients cannot change."""

from __future__ import annotations

from ipaddress import ip_address

SERVICES = "services.test.sw.com.mx"
MANAGEMENT = "api.test.sw.com.mx"
VENDOR_HOSTS = (SERVICES, MANAGEMENT)
LOOPBACK = "127.0.0.1"
STANDARD_PORTS = {"http": 80, "https": 443}


def hosts_line(host: str) -> str:
    """Return the line of the hosts file that maps the vendor's test hosts to the address of this server."""
    return " ".join((client_address(host), *VENDOR_HOSTS))


def client_address(host: str) -> str:
    """Return the address for clients on this machine: loopback for a name or for all addresses."""
    try:
        address = ip_address(host)
    except ValueError:
        return LOOPBACK
    if address.is_unspecified:
        return LOOPBACK if address.version == 4 else "::1"
    return str(address)


def is_reachable_by_others(host: str) -> bool:
    """Whether other machines may reach a server that listens on this address."""
    try:
        return not ip_address(host).is_loopback
    except ValueError:
        return host != "localhost"
