# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Characters, names and spans of plain XML, see stamp_reader.pyx. Every function stops at the NUL after the bytes."""

from libc.string cimport memcmp, strlen

ctypedef const unsigned char* Place

cdef enum:
    NAME_START = 1
    NAME_PART = 2
    IN_VALUE = 4
    IN_TEXT = 8
    BLANK = 16
    IN_URI = 32

cdef struct Span:
    Place at
    Py_ssize_t length

cdef struct Name:
    Span whole
    Span prefix
    Span local

cdef extern from *:
    """
    static unsigned char timbra_plain_xml_classes[256];
    """
    unsigned char* classes "timbra_plain_xml_classes"


cdef inline void fill_classes() noexcept:
    """Set the classes of the bytes; those of characters beyond ASCII may be in values and in text."""
    cdef int byte
    for byte in range(256):
        classes[byte] = 0
        if byte >= 0x20 and byte != 0x7F or byte in (0x09, 0x0A, 0x0D):
            classes[byte] |= IN_VALUE | IN_TEXT
    for byte in (c" ", c"\t", c"\r", c"\n"):
        classes[byte] |= BLANK
    for byte in (c"<", c"&", c'"', c"'"):
        classes[byte] &= ~IN_VALUE
    for byte in (c"/", c"?", c"!", c"$", c"(", c")", c"*", c"+", c",", c";", c"=", c"~"):
        classes[byte] |= IN_URI
    for byte in (c"<", c"&", c"]"):
        classes[byte] &= ~IN_TEXT
    for byte in range(c"a", c"z" + 1):
        classes[byte] |= NAME_START | NAME_PART
        classes[byte - 32] |= NAME_START | NAME_PART
    for byte in range(c"0", c"9" + 1):
        classes[byte] |= NAME_PART
    classes[<unsigned char>c"_"] |= NAME_START | NAME_PART
    classes[<unsigned char>c"-"] |= NAME_PART
    classes[<unsigned char>c"."] |= NAME_PART
    for byte in range(0x80):
        if classes[byte] & NAME_PART:
            classes[byte] |= IN_URI


cdef inline Place skip(Place at, int kind) noexcept:
    """Return the first place whose byte is not of the class."""
    while classes[at[0]] & kind:
        at += 1
    return at


cdef inline Place part_of_name(Place at, Span* part) noexcept:
    """Read a name without colon; return NULL when there is none."""
    if not classes[at[0]] & NAME_START:
        return NULL
    part.at = at
    at = skip(at + 1, NAME_PART)
    part.length = at - part.at
    return at


cdef inline Place name_at(Place at, Name* name) noexcept:
    """Read a qualified name in ASCII; return NULL when there is none, or another one with the prefix `xml`."""
    name.whole.at = at
    name.prefix = Span(at, 0)
    at = part_of_name(at, &name.local)
    if at != NULL and at[0] == c":":
        name.prefix = name.local
        at = part_of_name(at + 1, &name.local)
        if equals_text(name.prefix, b"xml"):
            return NULL
    if at != NULL:
        name.whole.length = at - name.whole.at
    return at


cdef inline Place past_reference(Place at) noexcept:
    """Return the place after one of the five predefined entities, NULL for any other reference."""
    cdef const char* entity
    for entity in (b"&amp;", b"&quot;", b"&lt;", b"&gt;", b"&apos;"):
        if starts_with(at, entity):
            return at + strlen(entity)
    return NULL


cdef inline Place value_at(Place at, Span* value) noexcept:
    """Read a quoted value; return the place after it, NULL when it is not plain."""
    cdef unsigned char quote = at[0]
    if quote != c'"' and quote != c"'":
        return NULL
    at += 1
    value.at = at
    while at != NULL:
        at = skip(at, IN_VALUE)
        if at[0] == quote:
            value.length = at - value.at
            return at + 1
        if at[0] == c"&":
            at = past_reference(at)
        elif at[0] == c'"' or at[0] == c"'":
            at += 1
        else:
            return NULL
    return NULL


cdef inline bint starts_with(Place at, const char* text) noexcept:
    """Whether a text is at a place; a NUL in the bytes ends the comparison."""
    while text[0] != 0 and at[0] == <unsigned char>text[0]:
        at += 1
        text += 1
    return text[0] == 0


cdef inline bint equals(Span one, Span other) noexcept:
    return one.length == other.length and memcmp(one.at, other.at, one.length) == 0


cdef inline bint equals_text(Span span, const char* text) noexcept:
    return span.length == <Py_ssize_t>strlen(text) and memcmp(span.at, text, span.length) == 0
