from collections.abc import Callable, Mapping
from typing import Any

MAX_DEPTH: int

def restore_integers(text: bytes, content: object) -> bool: ...

class ElementPlan:
    def __init__(self, shape: Any, prefix: str, read_flag: Callable[[object], bool | None]) -> None: ...
    def write_children(
        self,
        children: Mapping[str, tuple[object, object]],
        complement: Callable[[str, dict[str, Any]], ElementPlan | None],
    ) -> bytes | None: ...
