"""What may be wrong in a seed file, as a text that follows the place of the value."""

from __future__ import annotations

PROBLEMS = {
    "too_large": "is larger than 1 MiB",
    "not_yaml": "is not valid YAML",
    "repeated": "the key appears twice",
    "alias": "aliases are not supported",
    "missing": "is missing",
    "extra_forbidden": "is not a known key",
    "string_type": "must be a text",
    "string_too_short": "must not be empty",
    "string_pattern_mismatch": "has the wrong form",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "finite_number": "must be a number",
    "greater_than": "is too small",
    "greater_than_equal": "is too small",
    "less_than_equal": "is too large",
    "literal_error": "must be one of {values}",
    "list_type": "must be a list",
    "model_type": "must be a mapping with keys and values",
    "rfc": "is not a well-formed RFC",
    "clock": "must be an instant such as 2026-11-17T12:00:00 or a duration such as +72h",
}
"""By the type of pydantic's error, and by names of the reader's own."""
