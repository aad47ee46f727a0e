"""A growing buffer of XML in UTF-8."""

cdef class XmlBuffer:
    cdef char* data
    cdef Py_ssize_t size, room

    cdef int reserve(self, Py_ssize_t more) except -1
    cdef bint add(self, bytes part) except -1
    cdef bint add_value(self, object value) except -1
    cdef bint add_text(self, object text) except -1
    cdef bint add_escaped(self, object text, int kind) except -1
    cdef int sort_parts(self, Py_ssize_t begin, Py_ssize_t* ends, int* ranks, int count) except -1
