# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Setting of attributes whose values are known to be plain, such as certificates and seals in base64.

lxml examines every character of a value in several passes. Here libxml2's own function is called, as lxml calls it
after the examination; its address is looked up in the file of lxml, because no other libxml2 may change the tree.
"""

cimport lxml.includes.etreepublic as lxml_api
from lxml.includes.tree cimport XML_ELEMENT_NODE, xmlAttr, xmlChar, xmlNode, xmlNs

import lxml.etree

cdef extern from "Python.h":
    bint PyUnicode_IS_COMPACT_ASCII(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    const unsigned char* PyUnicode_DATA(object text)

cdef extern from *:
    """
    /* Address of a function in a library that this process has loaded; NULL where that is not possible. */
    #ifdef _WIN32
    static void *timbra_symbol(const char *file, const char *name) { (void)file; (void)name; return 0; }
    #else
    #include <dlfcn.h>
    static void *timbra_symbol(const char *file, const char *name) {
        void *library = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
        return library ? dlsym(library, name) : 0;
    }
    #endif
    """
    void* timbra_symbol(const char* file, const char* name) noexcept

ctypedef xmlAttr* (*Setter)(xmlNode*, xmlNs*, const xmlChar*, const xmlChar*) noexcept

lxml_api.import_lxml__etree()

cdef Setter setter = <Setter>timbra_symbol(lxml.etree.__file__.encode(), b"xmlSetNsProp")


def set_attribute(lxml_api._Element element not None, str name not None, str value not None):
    """Set an attribute without namespace, as `element.set`."""
    cdef xmlNode* node = element._c_node
    if setter == NULL or node == NULL or node.type != XML_ELEMENT_NODE or not is_name(name) or not is_plain(value):
        element.set(name, value)
    elif setter(node, NULL, PyUnicode_DATA(name), PyUnicode_DATA(value)) == NULL:
        raise MemoryError


cdef bint is_name(str name) noexcept:
    """Whether a name consists of ASCII letters."""
    cdef const unsigned char* text
    cdef Py_ssize_t place
    if not PyUnicode_IS_COMPACT_ASCII(name):
        return False
    text = PyUnicode_DATA(name)
    for place in range(PyUnicode_GET_LENGTH(name)):
        if not c"a" <= (text[place] | 32) <= c"z":
            return False
    return PyUnicode_GET_LENGTH(name) > 0


cdef bint is_plain(str value) noexcept:
    """Whether a value consists of visible ASCII characters."""
    cdef const unsigned char* text
    cdef Py_ssize_t place
    cdef unsigned char others = 0
    if not PyUnicode_IS_COMPACT_ASCII(value):
        return False
    text = PyUnicode_DATA(value)
    for place in range(PyUnicode_GET_LENGTH(value)):
        others |= <unsigned char>(text[place] - 0x21) >= 0x5E
    return not others
