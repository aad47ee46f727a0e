LANES: int
"""Operations of one call."""
EXPONENT: int
"""The public exponent of the keys."""

def is_supported() -> bool: ...

class CrtKey:
    def __new__(cls, n: int, p: int, q: int, dp: int, dq: int, iq: int) -> CrtKey: ...

def sign_blocks(keys: list[CrtKey], blocks: list[bytes]) -> list[bytes | None]: ...
