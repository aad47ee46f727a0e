"""Search for white space around the values of attributes. The equal function in Python is in padded_values_python."""

cimport lxml.includes.etreepublic as lxml_api
from libc.string cimport strlen
from lxml.includes.tree cimport XML_ELEMENT_NODE, XML_TEXT_NODE, xmlAttr, xmlNode

lxml_api.import_lxml__etree()


def has_padded_values(lxml_api._Element root not None):
    """Whether an attribute of the element or of a descendant begins or ends with white space of XML."""
    cdef xmlNode* top = root._c_node
    cdef xmlNode* node = top
    cdef xmlAttr* attribute
    if top == NULL or top.type != XML_ELEMENT_NODE:
        raise TypeError("not an element")
    while True:
        if node.type == XML_ELEMENT_NODE:
            attribute = node.properties
            while attribute != NULL:
                if is_padded(node, attribute):
                    return True
                attribute = attribute.next
        if node.type == XML_ELEMENT_NODE and node.children != NULL:
            node = node.children
        else:
            while node != top and node.next == NULL:
                node = node.parent
            if node == top:
                return False
            node = node.next


cdef bint is_padded(xmlNode* element, xmlAttr* attribute) except -1:
    cdef xmlNode* value = attribute.children
    cdef const char* text
    if value == NULL:
        return False
    if value.next != NULL or value.type != XML_TEXT_NODE:
        written = lxml_api.attributeValue(element, attribute)
        return written != written.strip(" \t\r\n")
    text = <const char*>value.content
    return text != NULL and text[0] != 0 and (is_blank(text[0]) or is_blank(text[strlen(text) - 1]))


cdef inline bint is_blank(char character) noexcept:
    return character == c" " or character == c"\t" or character == c"\r" or character == c"\n"
