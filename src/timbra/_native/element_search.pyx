"""Search for the elements at some paths. The equal class in Python is in element_search_python."""

cimport lxml.includes.etreepublic as lxml_api
from libc.string cimport strcmp
from lxml.includes.tree cimport XML_ELEMENT_NODE, xmlNode, xmlNs

lxml_api.import_lxml__etree()

cdef enum:
    MAX_NAMES = 8


cdef class _Names:
    """What follows an element on the paths; no names at the end of a path."""

    cdef const char* names[MAX_NAMES]
    cdef list below, kept
    cdef int count

    def __cinit__(self):
        self.below, self.kept = [], []

    cdef _Names add(self, str name):
        encoded = name.encode()
        if encoded in self.kept:
            return self.below[self.kept.index(encoded)]
        if self.count == MAX_NAMES:
            raise ValueError(f"more than {MAX_NAMES} names at one place")
        self.kept.append(encoded)
        self.below.append(_Names())
        self.names[self.count] = encoded
        self.count += 1
        return self.below[self.count - 1]


cdef class ElementSearch:
    """Finds the elements at paths of local names below an element.

    Args:
        paths: Such as `Conceptos/Concepto`; none is the beginning of another.
        any_namespace: Whether elements of all namespaces are found; else only those of the namespace of the element at
            which the search starts.
    """

    cdef _Names _names
    cdef bint _any_namespace

    def __init__(self, paths, *, bint any_namespace):
        self._any_namespace = any_namespace
        self._names = _Names()
        for path in paths:
            below = self._names
            for name in path.split("/"):
                below = below.add(name)

    def find(self, lxml_api._Element root not None):
        """Return the elements, in document order."""
        cdef xmlNode* node = root._c_node
        cdef list found = []
        if node == NULL or node.type != XML_ELEMENT_NODE:
            raise TypeError("not an element")
        search(root._doc, node, self._names, self._any_namespace, node.ns, found)
        return found


cdef int search(lxml_api._Document document, xmlNode* parent, _Names names, bint any_namespace, xmlNs* namespace,
                list found) except -1:
    cdef xmlNode* child = parent.children
    cdef int place
    while child != NULL:
        if child.type == XML_ELEMENT_NODE and (any_namespace or is_same(child.ns, namespace)):
            for place in range(names.count):
                if strcmp(<const char*>child.name, names.names[place]) == 0:
                    below = <_Names>names.below[place]
                    if below.count:
                        search(document, child, below, any_namespace, namespace, found)
                    else:
                        found.append(lxml_api.elementFactory(document, child))
                    break
        child = child.next
    return 0


cdef inline bint is_same(xmlNs* one, xmlNs* other) noexcept:
    if one == other:
        return True
    if one == NULL or other == NULL or one.href == NULL or other.href == NULL:
        return False
    return strcmp(<const char*>one.href, <const char*>other.href) == 0
