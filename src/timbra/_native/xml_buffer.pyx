# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""A growing buffer of XML in UTF-8, whose texts are escaped as libxml2 escapes them."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_AsUTF8AndSize
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy, strlen

cdef enum:
    SMALLEST = 65536
    LONGEST_ESCAPE = 6
    IN_VALUE = 1
    IN_TEXT = 2
    FORBIDDEN = 4

cdef unsigned char classes[256]
cdef const char* escapes[256]


cdef void fill_classes() noexcept:
    """Set the classes of the bytes: escaped in values, in text, or left to lxml (control characters)."""
    cdef int byte
    for byte in range(256):
        classes[byte] = FORBIDDEN if byte < 0x20 or byte == 0x7F else 0
        escapes[byte] = b""
    for byte in (c"<", c">", c"&", c"\r"):
        classes[byte] = IN_VALUE | IN_TEXT
    for byte in (c'"', c"\n", c"\t"):
        classes[byte] = IN_VALUE
    # U+FFFE and U+FFFF, which XML does not allow, begin with this byte; so do rare characters, U+F000 to U+FFFD.
    classes[0xEF] = FORBIDDEN
    escapes[c"<"], escapes[c">"], escapes[c"&"] = b"&lt;", b"&gt;", b"&amp;"
    escapes[c'"'], escapes[c"\n"], escapes[c"\t"], escapes[c"\r"] = b"&quot;", b"&#10;", b"&#9;", b"&#13;"


fill_classes()


cdef class XmlBuffer:
    """The bytes that were written."""

    def __dealloc__(self):
        free(self.data)

    cdef int reserve(self, Py_ssize_t more) except -1:
        """Make room for so many further bytes."""
        cdef Py_ssize_t room = max(self.room, SMALLEST)
        cdef char* data
        if self.room - self.size >= more:
            return 0
        while room - self.size < more:
            room *= 2
        data = <char*>realloc(self.data, room)
        if data == NULL:
            raise MemoryError
        self.data, self.room = data, room
        return 0

    cdef bint add(self, bytes part) except -1:
        """Add bytes as they are; always True."""
        cdef Py_ssize_t size = PyBytes_GET_SIZE(part)
        self.reserve(size)
        memcpy(self.data + self.size, PyBytes_AS_STRING(part), size)
        self.size += size
        return True

    cdef bint add_value(self, object value) except -1:
        """Add the value of an attribute and its closing quote; return False for a character that is left to lxml."""
        return self.add_escaped(value, IN_VALUE) and self.add(b'"')

    cdef bint add_text(self, object text) except -1:
        """Add character data; return False for a character that is left to lxml."""
        return self.add_escaped(text, IN_TEXT)

    cdef bint add_escaped(self, object text, int kind) except -1:
        cdef Py_ssize_t size
        cdef const unsigned char* at
        cdef const unsigned char* end
        cdef unsigned char* out
        cdef unsigned char found
        try:
            at = <const unsigned char*>PyUnicode_AsUTF8AndSize(text, &size)
        except UnicodeEncodeError:  # a lone surrogate
            return False
        self.reserve(size * LONGEST_ESCAPE)
        out, end = <unsigned char*>self.data + self.size, at + size
        while at < end:
            found = classes[at[0]]
            if found & FORBIDDEN:
                return False
            if found & kind:
                size = <Py_ssize_t>strlen(escapes[at[0]])
                memcpy(out, escapes[at[0]], size)
                out += size
            else:
                out[0] = at[0]
                out += 1
            at += 1
        self.size = out - <unsigned char*>self.data
        return True

    cdef int sort_parts(self, Py_ssize_t begin, Py_ssize_t* ends, int* ranks, int count) except -1:
        """Sort adjacent parts of the buffer by their ranks; parts of one rank keep their order.

        Args:
            begin: beginning of the first part.
            ends: ends of the parts.
            ranks: their ranks; each is replaced.
            count: number of the parts.
        """
        cdef Py_ssize_t total = self.size - begin, filled = 0, start
        cdef char* copy = <char*>malloc(total + 1)
        cdef int place, least, number
        if copy == NULL:
            raise MemoryError
        for place in range(count):
            least = -1
            for number in range(count):
                if ranks[number] >= 0 and (least < 0 or ranks[number] < ranks[least]):
                    least = number
            start = begin if least == 0 else ends[least - 1]
            memcpy(copy + filled, self.data + start, ends[least] - start)
            filled += ends[least] - start
            ranks[least] = -1
        memcpy(self.data + begin, copy, total)
        free(copy)
        return 0
