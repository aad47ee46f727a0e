"""Texts and numbers of attributes as Python objects."""

cdef object text_of_bytes(const char* text)
cdef object decimal_of(object text, Py_ssize_t digits, object function)
