"""The one-sided structure check of a package without the native extension: it accepts nothing."""

from __future__ import annotations

from lxml import etree


class ValidForms:
    """Stands for a check that knows no valid tree, so that libxml2 checks every one.

    Args:
        program: a `timbra.cfdi.structure.valid_forms.Program`.
    """

    def __init__(self, program: object) -> None:
        pass

    def accept(self, root: etree._Element) -> bool:
        """Whether the element is surely valid. Raises TypeError: `root` is not an element."""
        if not isinstance(getattr(root, "tag", None), str):
            raise TypeError("not an element")
        return False
