"""Parameters of query strings."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import parse_qs

MAX_PARAMETERS = 32


def query_values(query: str) -> Mapping[str, str]:
    """Return the first value of each parameter; none at all when there are too many parameters."""
    try:
        found = parse_qs(query, keep_blank_values=True, max_num_fields=MAX_PARAMETERS)
    except ValueError:
        return {}
    return {name: values[0] for name, values in found.items()}
