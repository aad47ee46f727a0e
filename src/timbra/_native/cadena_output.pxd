"""The growing text of a cadena original, in UTF-8. No Python object is touched, no exception is raised."""

from libc.stdlib cimport realloc
from libc.string cimport memcpy, strlen
from lxml.includes.tree cimport (
    XML_CDATA_SECTION_NODE, XML_ELEMENT_NODE, XML_ENTITY_REF_NODE, XML_TEXT_NODE, xmlNode,
)

cdef enum Outcome:
    CONTINUE
    FOUND
    NO_MEMORY
    TOO_DEEP
    UNSUPPORTED

cdef struct Output:
    char* data
    size_t length
    size_t capacity
    int nesting  # active templates


cdef inline Outcome _reserve(Output* output, size_t size) noexcept:
    """Make room for so many bytes."""
    cdef size_t capacity = output.capacity
    cdef char* data
    if size <= capacity - output.length:
        return CONTINUE
    while size > capacity - output.length:
        if capacity > <size_t> -1 // 4:
            return NO_MEMORY
        capacity = 2 * capacity if capacity else 4096
    data = <char*> realloc(output.data, capacity)
    if data == NULL:
        return NO_MEMORY
    output.data, output.capacity = data, capacity
    return CONTINUE


cdef inline Outcome write(Output* output, const char* text, size_t length) noexcept:
    if _reserve(output, length) != CONTINUE:
        return NO_MEMORY
    memcpy(output.data + output.length, text, length)
    output.length += length
    return CONTINUE


cdef inline Outcome write_value(Output* output, xmlNode* top) noexcept:
    """Write the texts of nodes and their descendants, with white space normalized; FOUND means that it is written."""
    cdef size_t begin = output.length
    cdef xmlNode* node = top
    cdef xmlNode* parent = NULL if top == NULL else top.parent
    cdef bint blank = False
    while node != NULL:
        if node.type == XML_TEXT_NODE or node.type == XML_CDATA_SECTION_NODE:
            if node.content != NULL and not _write_normalized(output, <const char*> node.content, begin, &blank):
                return NO_MEMORY
        elif node.type == XML_ENTITY_REF_NODE:
            return UNSUPPORTED
        elif node.type == XML_ELEMENT_NODE and node.children != NULL:
            node = node.children
            continue
        while node.next == NULL:
            node = node.parent
            if node == parent:
                return FOUND
        node = node.next
    return FOUND


cdef inline bint _write_normalized(Output* output, const char* text, size_t begin, bint* blank) noexcept:
    """Write a text without blanks at its start, each run of blanks inside as one space.

    Args:
        begin: Length of the output at the start of the value.
        blank: Whether the value so far ends in blanks that are not written yet.
    """
    cdef size_t length = strlen(text)
    cdef char* target
    cdef unsigned char character
    cdef bint pending = blank[0]
    if _reserve(output, length + 1) != CONTINUE:
        return False
    target = output.data + output.length
    while True:
        character = text[0]
        if character > 0x20:
            if pending:
                if target != output.data + begin:
                    target[0] = 0x20
                    target += 1
                pending = False
            target[0] = character
            target += 1
        elif character == 0:
            break
        elif character == 0x20 or character == 0x09 or character == 0x0A or character == 0x0D:
            pending = True
        else:
            if pending and target != output.data + begin:
                target[0] = 0x20
                target += 1
            pending = False
            target[0] = character
            target += 1
        text += 1
    blank[0] = pending
    output.length = target - output.data
    return True
