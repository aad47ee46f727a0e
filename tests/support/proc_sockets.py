"""The connections of a server as the kernel lists them in /proc."""

from __future__ import annotations

from pathlib import Path

ESTABLISHED = "01"


def connected_ports(port: int) -> set[int]:
    """Return the client ports of the connections that the server of this port has open."""
    ports = set()
    for line in Path("/proc/net/tcp").read_text("ascii").splitlines()[1:]:
        _, local, remote, state, *_ = line.split()
        if state == ESTABLISHED and int(local.partition(":")[2], 16) == port:
            ports.add(int(remote.partition(":")[2], 16))
    return ports
