"""Every code that the service answers, looked up as users write it; the nearest codes of an unknown one."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache

from timbra.messages.causes import service_codes
from timbra.messages.codes import printed_code
from timbra.rules.reference.lookup import ALIASES
from timbra.rules.reference.messages import RULES
from timbra.rules.registry import RULE_SETS

MAX_SUGGESTIONS = 8
MAX_LENGTH = 60
"""Characters of an unknown code that are compared."""
CUTOFF = 0.75
"""Lowest similarity of a suggested code."""
NEAR_BEST = 0.08
"""Largest difference of similarity between the nearest code and another suggestion."""
_SEPARATORS = re.compile(r"[\s._-]+")
_CODE = re.compile(r"([a-z&]*)([0-9]{1,7})")


@cache
def all_codes() -> tuple[str, ...]:
    """Return every code: of rules, with and without a name after the colon, and of the service."""
    rules = [row.code for rule_set in RULE_SETS for row in rule_set.rows]
    displayed = [code.partition(":")[0] for code in rules]
    service = [code for each in service_codes() for code in (each.code, printed_code(each.message)) if code]
    return tuple(dict.fromkeys((*rules, *displayed, *RULES, *service)))


def find_code(text: str) -> str | None:
    """Return the code that a text writes: in any letter case, with blanks or hyphens, or with leading zeros."""
    by_text = _by_text()
    return by_text.get(text.strip().casefold()) or by_text.get(_compact(text))


def is_code(text: str) -> bool:
    """Whether a text has the form of a code: letters and digits."""
    return _CODE.fullmatch(_compact(text).partition(":")[0]) is not None


def codes_of_digits(text: str) -> list[str]:
    """Return the codes whose number is the text, which has digits only; none for other texts."""
    match = _CODE.fullmatch(_compact(text))
    return [*_by_number().get(int(match[2]), ())] if match and not match[1] else []


def suggestions(text: str) -> list[str]:
    """Return the codes nearest to an unknown one, the nearest first; at most `MAX_SUGGESTIONS`."""
    numbered = codes_of_digits(text)
    compact = _compact(text[:MAX_LENGTH])
    match = _CODE.fullmatch(compact)
    if match and match[1] and not numbered:
        numbered = [*_by_number().get(int(match[2]), ())]
    if numbered:
        return sorted(numbered, key=lambda code: (-_similarity(compact, _compact(code)), code))[:MAX_SUGGESTIONS]
    by_text = _by_text()
    if match and not match[1]:
        by_text = {str(number): next(iter(codes)) for number, codes in _by_number().items()}
    near = difflib.get_close_matches(compact, by_text, n=2 * MAX_SUGGESTIONS, cutoff=CUTOFF)
    if not near:
        return []
    least = _similarity(compact, near[0]) - NEAR_BEST
    return list(dict.fromkeys(by_text[key] for key in near if _similarity(compact, key) >= least))[:MAX_SUGGESTIONS]


def _similarity(text: str, key: str) -> float:
    return difflib.SequenceMatcher(None, key, text).ratio()


def _compact(text: str) -> str:
    """Return a code in lower case without separators and leading zeros: `nom1` for `NOM-01`."""
    bare = _SEPARATORS.sub("", text.casefold())
    code, colon, name = bare.partition(":")
    match = _CODE.fullmatch(code)
    return f"{match[1]}{int(match[2])}{colon}{name}" if match else bare


@cache
def _by_text() -> Mapping[str, str]:
    """Return the codes by each way to write them."""
    codes = all_codes()
    found = {alias.casefold(): code for alias, code in ALIASES.items()}
    for write in (str.casefold, _compact):
        for code in codes:
            found.setdefault(write(code), code)
    return found


@cache
def _by_number() -> Mapping[int, Iterable[str]]:
    found: defaultdict[int, dict[str, None]] = defaultdict(dict)
    displayed = {code.partition(":")[0]: code.partition(":")[0] for code in all_codes()}
    for written, code in (*displayed.items(), *ALIASES.items()):
        match = _CODE.fullmatch(_compact(written))
        if match:
            found[int(match[2])][code] = None
    return found
