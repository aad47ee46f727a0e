# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Reading of nodes from elements. The equal class in Python is in node_reader_python; node_plan has the plans.

A plan is compiled once to arrays of names and of the offsets of slots. A reading visits each element once and stores
its attributes directly into the slots of the new nodes.
"""

cimport lxml.includes.etreepublic as lxml_api
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from cpython.object cimport PyObject, PyTypeObject
from cpython.ref cimport Py_INCREF, Py_XDECREF
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE, PyTuple_New, PyTuple_SET_ITEM
from libc.string cimport strcmp
from lxml.includes.tree cimport (
    XML_CDATA_SECTION_NODE,
    XML_ELEMENT_NODE,
    XML_TEXT_NODE,
    xmlAttr,
    xmlChar,
    xmlNode,
    xmlNs,
)

from timbra._native.texts cimport decimal_of, text_of_bytes

lxml_api.import_lxml__etree()

cdef extern from *:
    """
    #include <structmember.h>

    /* Offset of the slot that a descriptor of a class with __slots__ describes; -1 for another object. */
    static Py_ssize_t timbra_slot_offset(PyObject* descriptor) {
        if (Py_TYPE(descriptor) != &PyMemberDescr_Type) return -1;
        PyMemberDef* member = ((PyMemberDescrObject*)descriptor)->d_member;
        return member->type == T_OBJECT_EX ? member->offset : -1;
    }
    """
    Py_ssize_t timbra_slot_offset(object descriptor)

cdef extern from "Python.h":
    object PyType_GenericAlloc(PyTypeObject* kind, Py_ssize_t items)
    object PyList_GetSlice(object values, Py_ssize_t low, Py_ssize_t high)
    object PyList_AsTuple(object values)

cdef enum:
    MAX_ROWS = 32
    MAX_SOURCES = 4

cdef struct Attribute:
    const char* name
    Py_ssize_t offset
    PyObject* default_text
    PyObject* convert

cdef struct Derived:
    Py_ssize_t offset
    Py_ssize_t sources[MAX_SOURCES]
    int count
    Py_ssize_t digits
    bint is_tuple
    PyObject* function
    PyObject* absent

cdef struct Value:
    Py_ssize_t offset
    PyObject* value


cdef class _Numbers:
    """Counts what the state of a reading has room for."""

    cdef dict kinds
    cdef int attributes
    cdef int steps

    def __init__(self):
        self.kinds = {}


cdef class _Step:
    """A compiled step."""

    cdef _Node node
    cdef Py_ssize_t slot, present, elements, element
    cdef bint many
    cdef int padding, row
    cdef list gathered  # of (offset, name, absent, row)
    cdef _Steps below


cdef class _Steps:
    """The steps of one element: their names, and the steps in the same order."""

    cdef const char** names
    cdef int count, first
    cdef list steps
    cdef list kept

    def __dealloc__(self):
        PyMem_Free(self.names)

    def __init__(self, object plans, object owner, _Numbers numbers, list rows):
        cdef int place
        self.count, self.first, self.kept, self.steps = len(plans), numbers.steps, [], []
        numbers.steps += self.count
        self.names = <const char**>PyMem_Calloc(max(1, self.count), sizeof(char*))
        if self.names == NULL:
            raise MemoryError
        for place, name in enumerate(plans):
            encoded = name.encode()
            self.kept.append(encoded)
            self.names[place] = encoded
            self.steps.append(compiled_step(plans[name], owner, numbers, rows))


cdef _Step compiled_step(object plan, object owner, _Numbers numbers, list rows):
    cdef _Step step = _Step.__new__(_Step)
    step.slot = offset_or_none(owner, plan.slot)
    step.present = offset_or_none(owner, plan.present)
    step.elements = offset_or_none(owner, plan.elements)
    step.element = offset_or_none(owner, plan.element)
    step.many, step.padding = plan.many, plan.padding
    step.node = None if plan.node is None else _Node(plan.node, numbers)
    step.gathered = []
    for each in plan.gathered:
        offset = offset_of(owner, each.slot)
        step.gathered.append((offset, each.name.encode(), each.absent, new_row(rows, (offset, each.function))))
    if step.many:
        step.row = new_row(rows, (step.slot, step.node))
    step.below = _Steps(plan.steps, owner, numbers, rows) if plan.steps else None
    return step


cdef int new_row(list rows, object row) except -1:
    if len(rows) == MAX_ROWS:
        raise TypeError(f"a class has more than {MAX_ROWS} kinds of repeated children")
    rows.append(row)
    return <int>len(rows) - 1


cdef Py_ssize_t offset_of(object owner, str slot) except -1:
    cdef Py_ssize_t offset = timbra_slot_offset(getattr(owner, slot, None))
    if offset < 0:
        raise TypeError(f"{owner.__name__}.{slot} is not a slot")
    return offset


cdef Py_ssize_t offset_or_none(object owner, str slot) except -2:
    return offset_of(owner, slot) if slot else -1


cdef class _Node:
    """A compiled plan."""

    cdef object kind, complete
    cdef int number, first, attribute_count, derived_count, initial_count
    cdef Py_ssize_t places, element
    cdef Attribute* attributes
    cdef Derived* derived
    cdef Value* initial
    cdef list named, made, rows, kept
    cdef _Steps steps

    def __dealloc__(self):
        PyMem_Free(self.attributes)
        PyMem_Free(self.derived)
        PyMem_Free(self.initial)

    def __init__(self, object plan, _Numbers numbers):
        kind = plan.kind
        self.kind, self.complete, self.kept, self.rows = kind, plan.complete, [plan], []
        self.number = numbers.kinds.setdefault(kind, len(numbers.kinds))
        self.places = offset_of(kind, "places")
        self.element = offset_or_none(kind, plan.element)
        self.named = [(offset_of(kind, slot), names) for slot, names in plan.named]
        self.made = [(offset_of(kind, slot), make) for slot, make in plan.made]
        self.first = numbers.attributes
        numbers.attributes += len(plan.attributes)
        self._allocate(len(plan.attributes), len(plan.derived), len(plan.initial))
        self._compile_attributes(plan, kind)
        self._compile_derived(plan, kind)
        for place, (slot, value) in enumerate(plan.initial):
            self.initial[<int>place] = Value(offset_of(kind, slot), self._kept(value))
        self.steps = _Steps(plan.steps, kind, numbers, self.rows) if plan.steps else None

    cdef int _allocate(self, int attributes, int derived, int initial) except -1:
        self.attribute_count, self.derived_count, self.initial_count = attributes, derived, initial
        self.attributes = <Attribute*>PyMem_Calloc(max(1, attributes), sizeof(Attribute))
        self.derived = <Derived*>PyMem_Calloc(max(1, derived), sizeof(Derived))
        self.initial = <Value*>PyMem_Calloc(max(1, initial), sizeof(Value))
        if self.attributes == NULL or self.derived == NULL or self.initial == NULL:
            raise MemoryError
        return 0

    cdef PyObject* _kept(self, object value) except NULL:
        """Return a borrowed reference to an object that lives as long as the plan."""
        self.kept.append(value)
        return <PyObject*>value

    cdef int _compile_attributes(self, object plan, object kind) except -1:
        cdef int place
        for place, each in enumerate(plan.attributes):
            encoded = each.name.encode()
            self.kept.append(encoded)
            self.attributes[place].name = encoded
            self.attributes[place].offset = offset_of(kind, each.slot)
            self.attributes[place].default_text = self._kept(each.default)
            self.attributes[place].convert = NULL if each.convert is None else self._kept(each.convert)
        return 0

    cdef int _compile_derived(self, object plan, object kind) except -1:
        cdef int place, source
        for place, each in enumerate(plan.derived):
            if not 1 <= len(each.sources) <= MAX_SOURCES:
                raise TypeError(f"{kind.__name__}.{each.slot} has too many sources, or none")
            self.derived[place].offset = offset_of(kind, each.slot)
            self.derived[place].count = len(each.sources)
            for source, slot in enumerate(each.sources):
                self.derived[place].sources[source] = offset_of(kind, slot)
            self.derived[place].digits = each.digits
            self.derived[place].is_tuple = each.is_tuple
            self.derived[place].function = self._kept(each.function)
            self.derived[place].absent = self._kept(each.function(None)) if each.digits else NULL
        return 0


cdef class _State:
    """One reading. Names that were found are known by their address, which is the same in the whole document."""

    cdef lxml_api._Document document
    cdef dict by_kind
    cdef list holders, lists
    cdef const char* namespace
    cdef xmlNs* same
    cdef const xmlChar** attribute_names
    cdef const xmlChar** step_names

    def __cinit__(self, int attributes, int steps):
        self.attribute_names = <const xmlChar**>PyMem_Calloc(max(1, attributes), sizeof(xmlChar*))
        self.step_names = <const xmlChar**>PyMem_Calloc(max(1, steps), sizeof(xmlChar*))
        if self.attribute_names == NULL or self.step_names == NULL:
            raise MemoryError

    def __dealloc__(self):
        PyMem_Free(self.attribute_names)
        PyMem_Free(self.step_names)


cdef class NodeReader:
    """Reads the nodes of one class, and those of the classes below it.

    Args:
        plan: Plan of the class.
        namespace: Namespace of its elements.
    """

    cdef _Node _node
    cdef _Numbers _numbers
    cdef bytes _namespace

    def __init__(self, plan, str namespace not None):
        self._numbers = _Numbers()
        self._node = _Node(plan, self._numbers)
        self._namespace = namespace.encode()

    def read(self, lxml_api._Element element not None, tuple places not None, dict by_kind not None,
             list holders not None):
        """Return the node of an element, as the equal function in Python."""
        cdef xmlNode* node = element._c_node
        if node == NULL or node.type != XML_ELEMENT_NODE:
            raise TypeError("not an element")
        cdef _State state = _State(self._numbers.attributes, self._numbers.steps)
        state.document, state.by_kind, state.holders = element._doc, by_kind, holders
        state.namespace = self._namespace
        state.lists = [None] * len(self._numbers.kinds)
        return read_node(state, self._node, node, places)


cdef inline void put(object owner, Py_ssize_t offset, object value) noexcept:
    cdef PyObject** place = <PyObject**>(<char*><PyObject*>owner + offset)
    cdef PyObject* old = place[0]
    Py_INCREF(value)
    place[0] = <PyObject*>value
    Py_XDECREF(old)


cdef inline PyObject* value_at(object owner, Py_ssize_t offset) noexcept:
    return (<PyObject**>(<char*><PyObject*>owner + offset))[0]


cdef object read_node(_State state, _Node plan, xmlNode* element, tuple places):
    cdef int counts[MAX_ROWS]
    cdef int place
    cdef list same
    node = PyType_GenericAlloc(<PyTypeObject*>plan.kind, 0)
    put(node, plan.places, places)
    for place in range(plan.initial_count):
        put(node, plan.initial[place].offset, <object>plan.initial[place].value)
    for offset, make in plan.made:
        put(node, offset, make())
    if plan.element >= 0:
        put(node, plan.element, lxml_api.elementFactory(state.document, element))
    read_attributes(state, plan, element, node)
    for place in range(plan.derived_count):
        put(node, plan.derived[place].offset, derived_value(&plan.derived[place], node))
    for offset, names in plan.named:
        put(node, offset, named_attributes(element, names))
    same = nodes_of(state, plan)
    same.append(node)
    if plan.steps is not None and element.children != NULL:
        for place in range(MAX_ROWS):
            counts[place] = 0
        read_children(state, plan.steps, element, node, places, counts)
        finish_rows(state, plan, node, counts)
    if plan.complete is not None:
        plan.complete(node)
    return node


cdef list nodes_of(_State state, _Node plan):
    """Return the list of the nodes of a class."""
    found = state.lists[plan.number]
    if found is None:
        found = state.by_kind.get(plan.kind)
        if found is None:
            found = state.by_kind[plan.kind] = []
        state.lists[plan.number] = found
    return <list>found


cdef int read_attributes(_State state, _Node plan, xmlNode* element, object node) except -1:
    cdef xmlAttr* attribute = element.properties
    cdef const xmlChar** names = state.attribute_names + plan.first
    cdef int count = plan.attribute_count, place = -1
    cdef Attribute* part
    while attribute != NULL:
        if attribute.ns == NULL:
            place = index_of(attribute.name, names, &plan.attributes[0].name, sizeof(Attribute), count, place + 1)
            if place >= 0:
                part = &plan.attributes[place]
                text = text_of(element, attribute)
                put(node, part.offset, text if part.convert == NULL else (<object>part.convert)(text))
        attribute = attribute.next
    for place in range(count):
        part = &plan.attributes[place]
        if value_at(node, part.offset) == NULL:
            text = <object>part.default_text
            put(node, part.offset, text if part.convert == NULL else (<object>part.convert)(text))
    return 0


cdef int index_of(const xmlChar* name, const xmlChar** known, const char** first, size_t size, int count, int hint) \
        noexcept:
    """Return the place of a name among names, -1 for another name.

    Args:
        known: Addresses of the names that were found before, NULL elsewhere.
        first: First name; the others follow at distances of `size` bytes.
        hint: Where to look first: names mostly have the same order.
    """
    cdef int place
    if 0 <= hint < count and known[hint] == name:
        return hint
    for place in range(count):
        if known[place] == name:
            return place
    for place in range(count):
        if strcmp(<const char*>name, (<const char**>(<char*>first + <size_t>place * size))[0]) == 0:
            known[place] = name
            return place
    return -1


cdef object text_of(xmlNode* element, xmlAttr* attribute):
    cdef xmlNode* value = attribute.children
    if value == NULL:
        return ""
    if value.next == NULL and (value.type == XML_TEXT_NODE or value.type == XML_CDATA_SECTION_NODE):
        return "" if value.content == NULL else text_of_bytes(<const char*>value.content)
    return lxml_api.attributeValue(element, attribute)


cdef object derived_value(Derived* part, object node):
    cdef PyObject* value = value_at(node, part.sources[0])
    cdef int place
    if part.digits:
        return <object>part.absent if <object>value is None else decimal_of(
            <object>value, part.digits, <object>part.function
        )
    if part.count == 1 and not part.is_tuple:
        return (<object>part.function)(<object>value)
    values = PyTuple_New(part.count)
    for place in range(part.count):
        each = <object>value_at(node, part.sources[place])
        Py_INCREF(each)
        PyTuple_SET_ITEM(values, place, each)
    return values if part.is_tuple else (<object>part.function)(*values)


cdef dict named_attributes(xmlNode* element, object names):
    cdef dict found = {}
    cdef xmlAttr* attribute = element.properties
    while attribute != NULL:
        if attribute.ns == NULL:
            name = (<const char*>attribute.name).decode()
            if name in names:
                found[name] = text_of(element, attribute)
        attribute = attribute.next
    return found


cdef int read_children(_State state, _Steps steps, xmlNode* element, object owner, tuple places, int* counts) \
        except -1:
    cdef xmlNode* child = element.children
    cdef int place = -1
    cdef _Step step
    while child != NULL:
        if child.type == XML_ELEMENT_NODE and is_of(state, child.ns):
            place = index_of(
                child.name, state.step_names + steps.first, steps.names, sizeof(char*), steps.count, place
            )
            if place >= 0:
                step = <_Step>steps.steps[place]
                if step.node is None:
                    read_part(state, step, child, owner, places, counts)
                elif step.many:
                    counts[step.row] += 1
                    read_node(state, step.node, child, places_below(places, step.padding, counts[step.row]))
                else:
                    put(owner, step.slot, read_node(state, step.node, child, places_below(places, step.padding, 0)))
        child = child.next
    return 0


cdef inline bint is_of(_State state, xmlNs* namespace) noexcept:
    if namespace == NULL:
        return False
    if namespace == state.same:
        return True
    if namespace.href == NULL or strcmp(<const char*>namespace.href, state.namespace) != 0:
        return False
    state.same = namespace
    return True


cdef tuple places_below(tuple places, int padding, long index):
    cdef Py_ssize_t size = PyTuple_GET_SIZE(places), place
    below = PyTuple_New(size + padding + 1)
    for place in range(size):
        each = <object>PyTuple_GET_ITEM(places, place)
        Py_INCREF(each)
        PyTuple_SET_ITEM(below, place, each)
    for place in range(size, size + padding + 1):
        each = index if place == size + padding else 0
        Py_INCREF(each)
        PyTuple_SET_ITEM(below, place, each)
    return <tuple>below


cdef int read_part(_State state, _Step step, xmlNode* element, object owner, tuple places, int* counts) except -1:
    """Read an element that is no node of its own."""
    if step.present >= 0:
        put(owner, step.present, True)
    for offset, name, absent, row in step.gathered:
        if counts[<int>row] == 0:
            put(owner, offset, [])
        counts[<int>row] += 1
        (<list><object>value_at(owner, offset)).append(attribute_of(element, name, absent))
    if step.elements >= 0:
        below = elements_in(state, element)
        earlier = <tuple><object>value_at(owner, step.elements)
        if below and not earlier:
            state.holders.append(owner)
        put(owner, step.elements, earlier + below)
    if step.element >= 0:
        put(owner, step.element, lxml_api.elementFactory(state.document, element))
    if step.below is not None:
        read_children(state, step.below, element, owner, places, counts)
    return 0


cdef object attribute_of(xmlNode* element, bytes name, object absent):
    cdef xmlAttr* attribute = element.properties
    while attribute != NULL:
        if attribute.ns == NULL and strcmp(<const char*>attribute.name, name) == 0:
            return text_of(element, attribute)
        attribute = attribute.next
    return absent


cdef tuple elements_in(_State state, xmlNode* element):
    cdef list found = []
    cdef xmlNode* child = element.children
    while child != NULL:
        if child.type == XML_ELEMENT_NODE:
            found.append(lxml_api.elementFactory(state.document, child))
        child = child.next
    return tuple(found)


cdef int finish_rows(_State state, _Node plan, object node, int* counts) except -1:
    """Set the slots of repeated children: the last nodes of their class, because no other node has such children."""
    cdef int row
    cdef list same
    for row in range(<int>len(plan.rows)):
        if counts[row]:
            offset, source = <tuple>plan.rows[row]
            if isinstance(source, _Node):
                same = state.lists[(<_Node>source).number]
                put(node, offset, PyList_AsTuple(PyList_GetSlice(same, len(same) - counts[row], len(same))))
            else:
                put(node, offset, source(<object>value_at(node, offset)))
    return 0
