"""Reading of a form with one file."""

from __future__ import annotations

from dataclasses import dataclass, field

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import File, FormParser

FIELD = b"file"


@dataclass(frozen=True, slots=True)
class FormFile:
    """A part of a form."""

    name: str
    content: bytes = field(repr=False)


def single_file(body: bytes, boundary: bytes) -> FormFile | None:
    """Return the part `file` of a form that has no other part; None for any other body."""
    files: list[FormFile] = []
    fields: list[object] = []

    def on_file(file: File) -> None:
        file.file_object.seek(0)
        name = (file.file_name or b"").decode("utf-8", "replace")
        if file.field_name == FIELD:
            files.append(FormFile(name, file.file_object.read()))
        else:
            fields.append(file)

    try:
        parser = FormParser(
            "multipart/form-data",
            fields.append,
            on_file,
            boundary=boundary,
            config={"MAX_MEMORY_FILE_SIZE": len(body) + 1},
        )
        parser.write(body)
        parser.finalize()
    except FormParserError:
        return None
    return files[0] if len(files) == 1 and not fields else None
