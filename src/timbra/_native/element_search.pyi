from collections.abc import Sequence

from lxml import etree

class ElementSearch:
    def __init__(self, paths: Sequence[str], *, any_namespace: bool) -> None: ...
    def find(self, root: etree._Element) -> list[etree._Element]: ...
