"""Reading back of stamped documents for a package without the native extension: expat reads all of them."""

from __future__ import annotations


def is_plainly_stamped(xml: bytes, namespace: bytes, local: bytes, seal: bytes, uuid: bytes) -> bool:  # noqa: ARG001
    """Whether the bytes are a plain document with these values and one stamp; False when that is not known.

    Plain XML has elements, attributes and text only, so that every parser reads it in the same way.

    Args:
        xml: a whole document.
        namespace: namespace of the root.
        local: local name of the root.
        seal: value of Sello of the root and of SelloCFD of the stamp.
    """
    return False
