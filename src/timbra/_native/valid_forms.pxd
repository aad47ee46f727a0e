"""Declarations of valid_forms.pyx, for modules that compare trees of their own."""

from lxml.includes.tree cimport xmlNode

from timbra._native.valid_values cimport Values

cdef enum:
    DEEPEST = 64

cdef enum Content:
    EMPTY
    ELEMENTS
    LAX
    SKIP

cdef struct Attribute:
    const char* name
    bint required
    int form

cdef struct Name:
    const char* text
    int element

cdef struct Particle:
    Py_ssize_t least, most
    Name* names
    Py_ssize_t name_count

cdef struct Element:
    int content
    Attribute* attributes
    Py_ssize_t attribute_count, required_count
    Particle* particles
    Py_ssize_t particle_count

cdef struct Forms:
    const char* namespace
    const char** declared
    Py_ssize_t declared_count
    Element* elements
    Values* values

cdef class ValidForms:
    cdef object _program  # keeps the memory of all texts
    cdef list _arrays
    cdef Forms _forms
    cdef Name* _roots
    cdef Py_ssize_t _root_count

    cdef void* _array(self, Py_ssize_t count, size_t size) except NULL
    cdef Name* _names(self, names) except NULL
    cdef int _load_element(self, Element* element, form) except -1
    cdef int _load_values(self, Values* values, form) except -1
    cdef bint accepts_node(self, xmlNode* node) noexcept
