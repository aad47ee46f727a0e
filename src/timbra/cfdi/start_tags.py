"""Start tags of stored documents, read without a parser.

Stored documents are well-formed: "<" does not occur inside of a tag or of an attribute value.
"""

from __future__ import annotations

import re

from timbra.cfdi.document import PROLOG

_START_TAG = re.compile(rb"""<[^<>"'/]++(?:"[^"]*+"|'[^']*+'|[^<>"'/]++)*(?=/?>)""")
_ATTRIBUTE = re.compile(rb"""([\w:.-]++)\s*+=\s*+"([^"]*+)\"""")


def root_start_tag(xml: bytes) -> bytes | None:
    """Return the start tag of the root without its end; None when it is not found."""
    prolog = PROLOG.match(xml)
    tag = _START_TAG.match(xml, prolog.end()) if prolog else None
    return None if tag is None else tag[0]


def plain_attributes(tag: bytes) -> dict[bytes, bytes] | None:
    """Return the attributes of a start tag as they are written, with their prefixes.

    Returns:
        The attributes; None for a tag with an apostrophe, which may delimit a value.
    """
    return None if b"'" in tag else dict(_ATTRIBUTE.findall(tag))
