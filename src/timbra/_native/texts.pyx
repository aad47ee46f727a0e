# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Texts and numbers of attributes as Python objects.

Keys of catalogs, rates and amounts repeat, within a document and from one to the next. Two tables of fixed size keep
the objects of short texts that were read last; an entry that is overwritten costs only the creation of an object.
"""

from decimal import Decimal

from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint32_t
from libc.string cimport memcmp, strlen

cdef extern from "Python.h":
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    const char* PyUnicode_DATA(object text)

cdef enum:
    TABLE = 1024
    LONGEST_KEPT = 24

cdef PyObject* texts[TABLE]
cdef PyObject* number_texts[TABLE]
cdef PyObject* numbers[TABLE]


cdef object text_of_bytes(const char* text):
    """Return the text of UTF-8 bytes."""
    cdef uint32_t mixed = 2166136261
    cdef Py_ssize_t length = 0
    cdef PyObject* kept
    while text[length] != 0 and length <= LONGEST_KEPT:
        mixed = (mixed ^ <unsigned char>text[length]) * <uint32_t>16777619
        length += 1
    if length > LONGEST_KEPT:
        return PyUnicode_DecodeUTF8(text, <Py_ssize_t>strlen(text), NULL)
    cdef uint32_t place = (mixed ^ (mixed >> 15)) % TABLE
    kept = texts[place]
    if kept != NULL and PyUnicode_GET_LENGTH(<object>kept) == length and \
            memcmp(PyUnicode_DATA(<object>kept), text, length) == 0:
        return <object>kept
    made = PyUnicode_DecodeUTF8(text, length, NULL)
    if PyUnicode_IS_COMPACT_ASCII(made):
        replace(texts, place, made)
    return made


cdef object decimal_of(object text, Py_ssize_t digits, object function):
    """Return the Decimal of a text, as the function does.

    Args:
        digits: Greatest length of a text of ASCII digits and at most one point for which the function returns its
            Decimal.
    """
    cdef uint32_t place = <uint32_t>((<size_t><PyObject*>text) >> 4) % TABLE
    if not is_plain(text, digits):
        return function(text)
    if number_texts[place] == <PyObject*>text:
        return <object>numbers[place]
    made = Decimal(text)
    if PyUnicode_GET_LENGTH(text) <= LONGEST_KEPT:
        replace(number_texts, place, text)
        replace(numbers, place, made)
    return made


cdef void replace(PyObject** table, uint32_t place, object value) noexcept:
    cdef PyObject* old = table[place]
    Py_INCREF(value)
    table[place] = <PyObject*>value
    Py_XDECREF(old)


cdef bint is_plain(object text, Py_ssize_t digits) noexcept:
    """Whether a text consists of at most so many ASCII digits, with at most one point among them."""
    cdef Py_ssize_t length, place
    cdef int points = 0
    cdef const char* written
    if type(text) is not str or not PyUnicode_IS_COMPACT_ASCII(text):
        return False
    length = PyUnicode_GET_LENGTH(text)
    written = PyUnicode_DATA(text)
    if length == 0 or length > digits:
        return False
    for place in range(length):
        if written[place] == c".":
            points += 1
        elif not c"0" <= written[place] <= c"9":
            return False
    return points == 0 or (points == 1 and length > 1)
