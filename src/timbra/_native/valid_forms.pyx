# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""A one-sided structure check: trees that are surely valid by a schema. `timbra.cfdi.structure.valid_forms` describes it.

It accepts less than the schema. A tree that it does not accept is checked by libxml2, which also reports the errors. The
class for a package without native code, in valid_forms_python, accepts nothing.
"""

cimport lxml.includes.etreepublic as lxml_api
from libc.stdint cimport int16_t
from libc.stdlib cimport calloc, free
from libc.string cimport strcmp
from lxml.includes.tree cimport (
    XML_CDATA_SECTION_NODE, XML_COMMENT_NODE, XML_ELEMENT_NODE, XML_PI_NODE, XML_TEXT_NODE, xmlAttr, xmlNode, xmlNs,
)

from timbra._native.valid_values cimport Choice, Matcher, Values, accepts, is_blank

lxml_api.import_lxml__etree()

cdef const char* XSI = b"http://www.w3.org/2001/XMLSchema-instance"


cdef class ValidForms:
    """The declarations of a schema, ready to be compared with trees.

    Args:
        program: A `timbra.cfdi.structure.valid_forms.Program`.
    """

    def __cinit__(self, program):
        self._program = program
        self._arrays = []
        self._forms.namespace = text_of(program.namespace)
        self._forms.declared_count = len(program.declared)
        self._forms.declared = <const char**>self._array(len(program.declared), sizeof(char*))
        for number, namespace in enumerate(program.declared):
            self._forms.declared[number] = text_of(namespace)
        self._roots = self._names(program.roots)
        self._root_count = len(program.roots)
        self._forms.elements = <Element*>self._array(len(program.elements), sizeof(Element))
        for number, form in enumerate(program.elements):
            self._load_element(&self._forms.elements[number], form)
        self._forms.values = <Values*>self._array(len(program.values), sizeof(Values))
        for number, form in enumerate(program.values):
            self._load_values(&self._forms.values[number], form)

    cdef void* _array(self, Py_ssize_t count, size_t size) except NULL:
        """Return memory that is freed with this object."""
        array = _Memory(max(count, 1), size)
        self._arrays.append(array)
        return (<_Memory>array).start

    cdef Name* _names(self, names) except NULL:
        cdef Name* found = <Name*>self._array(len(names), sizeof(Name))
        for number, (text, element) in enumerate(names):
            found[number].text = text_of(text)
            found[number].element = element
        return found

    cdef int _load_element(self, Element* element, form) except -1:
        element.content = form.content
        element.attribute_count = len(form.attributes)
        element.attributes = <Attribute*>self._array(len(form.attributes), sizeof(Attribute))
        for number, attribute in enumerate(form.attributes):
            element.attributes[number].name = text_of(attribute.name)
            element.attributes[number].required = attribute.required
            element.attributes[number].form = attribute.form
            element.required_count += attribute.required
        element.particle_count = len(form.particles)
        element.particles = <Particle*>self._array(len(form.particles), sizeof(Particle))
        for number, particle in enumerate(form.particles):
            element.particles[number].least = particle.least
            element.particles[number].most = particle.most
            element.particles[number].names = self._names(particle.names)
            element.particles[number].name_count = len(particle.names)
        return 0

    cdef int _load_values(self, Values* values, form) except -1:
        values.kind, values.collapses = form.kind, form.collapses
        values.least, values.most = form.least, form.most
        values.digits, values.decimals = form.digits, form.decimals
        if form.lowest is not None:
            values.lowest.exists = True
            values.lowest.units, values.lowest.fraction = form.lowest
        if form.highest is not None:
            values.highest.exists = True
            values.highest.units, values.highest.fraction = form.highest
        values.has_choices = form.choices is not None
        choices = form.choices or ()
        values.choice_count = len(choices)
        values.choices = <Choice*>self._array(len(choices), sizeof(Choice))
        for number, choice in enumerate(choices):
            values.choices[number].text = text_of(choice)
            values.choices[number].length = len(choice)
        values.matcher_count = len(form.runs) + len(form.automata)
        values.matchers = <Matcher*>self._array(values.matcher_count, sizeof(Matcher))
        for number, run in enumerate(form.runs):
            values.matchers[number].symbols = <const unsigned char*>text_of(run.symbols)
            values.matchers[number].least, values.matchers[number].most = run.least, run.most
        for number, automaton in enumerate(form.automata, len(form.runs)):
            values.matchers[number].symbols = <const unsigned char*>text_of(automaton.classes)
            values.matchers[number].width = automaton.width
            values.matchers[number].table = <const int16_t*>text_of(automaton.table)
            values.matchers[number].accepting = <const unsigned char*>text_of(automaton.accepting)
        return 0

    def accept(self, lxml_api._Element root not None):
        """Whether the element is surely valid.

        Raises:
            TypeError: `root` is not an element.
        """
        cdef xmlNode* node = root._c_node
        if node == NULL or node.type != XML_ELEMENT_NODE:
            raise TypeError("not an element")
        return bool(self.accepts_node(node))

    cdef bint accepts_node(self, xmlNode* node) noexcept:
        """Whether the element is surely valid."""
        cdef Py_ssize_t number
        if not has_namespace(node.ns, self._forms.namespace):
            return False
        for number in range(self._root_count):
            if strcmp(<const char*>node.name, self._roots[number].text) == 0:
                return is_valid(&self._forms, node, node.ns, self._roots[number].element, 0)
        return False


cdef class _Memory:
    """An array of zeros."""

    cdef void* start

    def __cinit__(self, size_t count, size_t size):
        self.start = calloc(count, size)
        if self.start == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.start)


cdef const char* text_of(bytes text) except NULL:
    """Return the bytes of a text that the program keeps."""
    if text is None:
        raise TypeError("not bytes")
    return text


cdef inline bint has_namespace(xmlNs* one, const char* namespace) noexcept nogil:
    return one != NULL and one.href != NULL and strcmp(<const char*>one.href, namespace) == 0


cdef bint is_valid(Forms* forms, xmlNode* node, xmlNs* own, int number, int depth) noexcept nogil:
    cdef Element* element = &forms.elements[number]
    if element.content < 0 or depth == DEEPEST:
        return False
    if element.content == SKIP:
        return has_no_directives(node)
    if not has_valid_attributes(forms, node, element):
        return False
    if element.content == EMPTY:
        return node.children == NULL
    if element.content == LAX:
        if element.particles[0].least and not has_element(node):
            return False
        return has_undeclared_content(forms, node)
    return has_valid_children(forms, node, own, element, depth)


cdef bint has_valid_attributes(Forms* forms, xmlNode* node, Element* element) noexcept nogil:
    cdef xmlAttr* attribute = node.properties
    cdef xmlNode* value
    cdef Py_ssize_t place = 0, tried, required = 0
    cdef const unsigned char* text
    while attribute != NULL:
        if attribute.ns != NULL:
            if not is_schema_location(attribute):
                return False
            attribute = attribute.next
            continue
        for tried in range(element.attribute_count):
            if place == element.attribute_count:
                place = 0
            if strcmp(<const char*>attribute.name, element.attributes[place].name) == 0:
                break
            place += 1
        else:
            return False
        value = attribute.children
        text = <const unsigned char*>b""
        if value != NULL:
            if value.next != NULL or value.type != XML_TEXT_NODE or value.content == NULL:
                return False
            text = <const unsigned char*>value.content
        if element.attributes[place].form < 0 or not accepts(&forms.values[element.attributes[place].form], text):
            return False
        required += element.attributes[place].required
        place += 1
        attribute = attribute.next
    return required == element.required_count


cdef bint is_schema_location(xmlAttr* attribute) noexcept nogil:
    return has_namespace(attribute.ns, XSI) and (
        strcmp(<const char*>attribute.name, b"schemaLocation") == 0
        or strcmp(<const char*>attribute.name, b"noNamespaceSchemaLocation") == 0
    )


cdef bint has_valid_children(Forms* forms, xmlNode* node, xmlNs* own, Element* element, int depth) noexcept nogil:
    cdef xmlNode* child = node.children
    cdef Py_ssize_t place = 0, count = 0
    cdef int found
    while child != NULL:
        if child.type == XML_ELEMENT_NODE:
            if child.ns != own and not has_namespace(child.ns, forms.namespace):
                return False
            while True:
                if place == element.particle_count:
                    return False
                found = element_of(&element.particles[place], <const char*>child.name)
                if found >= 0 and count != element.particles[place].most:
                    break
                if count < element.particles[place].least:
                    return False
                place += 1
                count = 0
            count += 1
            if not is_valid(forms, child, own, found, depth + 1):
                return False
        elif not is_blank_text(child):
            return False
        child = child.next
    while place < element.particle_count:
        if count < element.particles[place].least:
            return False
        place += 1
        count = 0
    return True


cdef int element_of(Particle* particle, const char* name) noexcept nogil:
    """Return the number of the element that a particle has by a name, -1 for none."""
    cdef Py_ssize_t number
    for number in range(particle.name_count):
        if strcmp(name, particle.names[number].text) == 0:
            return particle.names[number].element
    return -1


cdef bint is_blank_text(xmlNode* node) noexcept nogil:
    cdef const unsigned char* text = <const unsigned char*>node.content
    if node.type != XML_TEXT_NODE or text == NULL:
        return False
    while is_blank(text[0]):
        text += 1
    return text[0] == 0


cdef bint has_element(xmlNode* node) noexcept nogil:
    cdef xmlNode* child = node.children
    while child != NULL and child.type != XML_ELEMENT_NODE:
        child = child.next
    return child != NULL


cdef bint has_undeclared_content(Forms* forms, xmlNode* top) noexcept nogil:
    """Whether the content of an element is elements for which no schema has declarations."""
    cdef xmlNode* node = top.children
    cdef int depth = 1
    while node != NULL:
        if node.type == XML_ELEMENT_NODE:
            if not is_undeclared(forms, node):
                return False
            if node.children != NULL:
                node = node.children
                depth += 1
                continue
        elif depth == 1:
            if not is_blank_text(node):
                return False
        elif node.type not in (XML_TEXT_NODE, XML_CDATA_SECTION_NODE, XML_COMMENT_NODE, XML_PI_NODE):
            return False
        while node.next == NULL:
            node = node.parent
            depth -= 1
            if node == top:
                return True
        node = node.next
    return True


cdef bint is_undeclared(Forms* forms, xmlNode* node) noexcept nogil:
    cdef Py_ssize_t number
    for number in range(forms.declared_count):
        if has_namespace(node.ns, forms.declared[number]):
            return False
    return has_no_directives(node)


cdef bint has_no_directives(xmlNode* node) noexcept nogil:
    """Whether no attribute tells a validator how to treat the element (xsi:type, xsi:nil)."""
    cdef xmlAttr* attribute = node.properties
    while attribute != NULL:
        if attribute.ns != NULL and has_namespace(attribute.ns, XSI) and not is_schema_location(attribute):
            return False
        attribute = attribute.next
    return True
