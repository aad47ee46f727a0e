"""The size of a tree, and validation of a long one at once, with bounded time and memory for its errors.

libxml2 counts the siblings before each element that has an error, to write its path: tens of thousands of them would
take half a minute. Validation itself follows the links to the next sibling only. So every 64th link to the previous
sibling is removed meanwhile; the paths of errors are then wrong, and only the result is used. A sample of the elements
is validated first, because most trees with many errors have one among them.
"""

cimport lxml.includes.etreepublic as lxml_api
from cpython.mem cimport PyMem_Free, PyMem_Realloc
from lxml.includes.tree cimport XML_ELEMENT_NODE, xmlNode

lxml_api.import_lxml__etree()

cdef enum:
    COUNTED = 64
    SAMPLE = 64
    ALWAYS = 2
    DEEPEST = 256

cdef struct Link:
    xmlNode** place
    xmlNode* value


cdef class _Links:
    """Changed links between siblings, with their former values."""

    cdef Link* links
    cdef Py_ssize_t count, room

    def __dealloc__(self):
        PyMem_Free(self.links)

    cdef int change(self, xmlNode** place, xmlNode* value) except -1:
        if self.count == self.room:
            room = max(64, 2 * self.room)
            grown = <Link*>PyMem_Realloc(self.links, room * sizeof(Link))
            if grown == NULL:
                raise MemoryError
            self.links, self.room = grown, room
        self.links[self.count] = Link(place, place[0])
        self.count += 1
        place[0] = value
        return 0

    cdef void restore(self) noexcept:
        while self.count:
            self.count -= 1
            self.links[self.count].place[0] = self.links[self.count].value


def has_elements(lxml_api._Element root not None, Py_ssize_t least):
    """Whether an element has at least so many descendants that are elements."""
    cdef xmlNode* top = root._c_node
    cdef xmlNode* node = top
    cdef Py_ssize_t count = 0
    if top == NULL or top.type != XML_ELEMENT_NODE:
        raise TypeError("not an element")
    while count < least:
        if node.type == XML_ELEMENT_NODE and node.children != NULL:
            node = node.children
        else:
            while node != top and node.next == NULL:
                node = node.parent
            if node == top:
                return False
            node = node.next
        count += node.type == XML_ELEMENT_NODE
    return True


def is_surely_valid(lxml_api._Element root not None, validate, Py_ssize_t offset):
    """Whether the tree is valid; False when that is not known."""
    cdef _Links backward = _Links(), forward = _Links()
    cdef xmlNode* top = root._c_node
    if top == NULL or top.type != XML_ELEMENT_NODE:
        raise TypeError("not an element")
    try:
        if not change_links(top, backward, forward, offset) or not validate():
            return False
        forward.restore()
        return bool(validate())
    finally:
        forward.restore()
        backward.restore()


cdef bint change_links(xmlNode* top, _Links backward, _Links forward, Py_ssize_t offset) except -1:
    """Shorten the links between siblings below an element, and leave a sample of the elements.

    Returns:
        False for a tree that is nested too deeply for it.
    """
    cdef xmlNode* node = top
    cdef Py_ssize_t nodes[DEEPEST]
    cdef Py_ssize_t elements[DEEPEST]
    cdef int depth = 0
    nodes[0] = elements[0] = 0
    while True:
        if node.type == XML_ELEMENT_NODE and node.children != NULL:
            depth += 1
            if depth == DEEPEST:
                return False
            nodes[depth] = elements[depth] = 0
            node = node.children
        else:
            while node != top and node.next == NULL:
                node = node.parent
                if elements[depth] > ALWAYS * SAMPLE:
                    leave_sample(node, forward, elements[depth] // SAMPLE, offset)
                depth -= 1
            if node == top:
                return True
            node = node.next
        nodes[depth] += 1
        elements[depth] += node.type == XML_ELEMENT_NODE
        if nodes[depth] % COUNTED == 0:
            backward.change(&node.prev, NULL)


cdef int leave_sample(xmlNode* parent, _Links links, Py_ssize_t step, Py_ssize_t offset) except -1:
    """Leave the first children of an element, and one of each `step` others."""
    cdef xmlNode* child = parent.children
    cdef xmlNode* kept = NULL
    cdef Py_ssize_t place = 0
    while child != NULL:
        if child.type == XML_ELEMENT_NODE:
            if place < ALWAYS or place % step == offset % step:
                if kept != NULL and kept.next != child:
                    links.change(&kept.next, child)
                kept = child
            place += 1
        child = child.next
    links.change(&kept.next, NULL)
    return 0
