"""Declarations of cadena.pyx, for modules that have trees of their own."""

from lxml.includes.tree cimport xmlNode

from timbra._native.cadena_run cimport Path, Program, Step


cdef class CadenaProgram:
    cdef dict _source
    cdef dict _strings  # keeps the memory of all strings of the program
    cdef Program _program
    cdef Py_ssize_t _step_count, _attribute_count, _instruction_count
    cdef const char* _before
    cdef const char* _after
    cdef Step _root

    cdef int _load(self, list root, list templates) except -1
    cdef const char* _string(self, str text) except NULL
    cdef int _read_step(self, list step, Step* target) except -1
    cdef int _read_path(self, list path, Path* target) except -1
    cdef int _read_block(self, list instructions) except -1
    cdef bytes original_of(self, xmlNode* node)
