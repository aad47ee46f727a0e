"""Nesting and attribute counts of a tree. The equal function in Python is in tree_shape_python."""

cimport lxml.includes.etreepublic as lxml_api
from lxml.includes.tree cimport XML_ELEMENT_NODE, xmlAttr, xmlNode

lxml_api.import_lxml__etree()


def tree_shape(lxml_api._Element root not None):
    """Return (greatest nesting of elements, greatest count of attributes of one element).

    Args:
        root: Element whose nesting is 1.
    """
    cdef xmlNode* top = root._c_node
    cdef xmlNode* node = top
    cdef xmlAttr* attribute
    cdef Py_ssize_t depth = 1, deepest = 1, count, most = 0
    if node == NULL or node.type != XML_ELEMENT_NODE:
        raise TypeError("not an element")
    while True:
        if node.type == XML_ELEMENT_NODE:
            count = 0
            attribute = node.properties
            while attribute != NULL:
                count += 1
                attribute = attribute.next
            most = max(most, count)
            deepest = max(deepest, depth)
            if node.children != NULL:
                node = node.children
                depth += 1
                continue
        while node != top and node.next == NULL:
            node = node.parent
            depth -= 1
        if node == top:
            return deepest, most
        node = node.next
