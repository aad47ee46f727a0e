from typing import Any

from lxml import etree

from timbra._native.node_plan import NodePlan

class NodeReader:
    def __init__(self, plan: NodePlan, namespace: str) -> None: ...
    def read(
        self, element: etree._Element, places: tuple[int, ...], by_kind: dict[type, list[Any]], holders: list[Any]
    ) -> Any: ...
