"""The interpreter of programs of the cadena original. No Python object is touched, no exception is raised."""

from libc.string cimport strcmp, strlen
from lxml.includes.tree cimport XML_CDATA_SECTION_NODE, XML_ELEMENT_NODE, XML_TEXT_NODE, xmlAttr, xmlNode

from timbra._native.cadena_output cimport (
    CONTINUE, FOUND, NO_MEMORY, TOO_DEEP, UNSUPPORTED, Outcome, Output, write, write_value,
)

cdef enum:
    MAX_NESTING = 1000

cdef enum Kind:
    TEXT
    ATTRIBUTES
    VALUE
    WHEN
    WHEN_EQUAL
    EACH
    APPLY

cdef struct Step:
    const char* namespace  # NULL: any element
    const char* name

cdef struct Path:
    Py_ssize_t first  # of its steps
    Py_ssize_t count
    bint descendants
    const char* attribute  # NULL: the elements themselves

cdef struct Attribute:
    const char* name
    bint optional

cdef struct Instruction:
    Kind kind
    Py_ssize_t first  # of its attributes
    Py_ssize_t count
    Path path
    const char* text
    Py_ssize_t length
    Py_ssize_t end  # index after its inner instructions

cdef struct Template:
    Step match
    Py_ssize_t first
    Py_ssize_t end
    Py_ssize_t next  # with the same hash; -1 for none

cdef struct Program:
    Step* steps
    Attribute* attributes
    Instruction* instructions
    Template* templates
    Py_ssize_t* buckets  # by hash: index of the first template; -1 for none
    Py_ssize_t mask


cdef inline Outcome apply(Program* program, xmlNode* node, Output* output) noexcept:
    """Run the template of an element, or write its texts and apply templates to its children."""
    cdef Template* template = _template(program, node)
    cdef xmlNode* child
    cdef Outcome outcome = CONTINUE
    if output.nesting == MAX_NESTING:
        return TOO_DEEP
    output.nesting += 1
    if template != NULL:
        outcome = _run(program, template.first, template.end, node, output)
    else:
        child = node.children
        while child != NULL and outcome == CONTINUE:
            if child.type == XML_ELEMENT_NODE:
                outcome = apply(program, child, output)
            elif (child.type == XML_TEXT_NODE or child.type == XML_CDATA_SECTION_NODE) and child.content != NULL:
                outcome = write(output, <const char*> child.content, strlen(<const char*> child.content))
            child = child.next
    output.nesting -= 1
    return outcome


cdef inline Template* _template(Program* program, xmlNode* node) noexcept:
    cdef Py_ssize_t index
    if node.ns == NULL or node.ns.href == NULL or node.name == NULL:
        return NULL
    index = program.buckets[hash_of(<const char*> node.name) & program.mask]
    while index >= 0:
        if matches(node, &program.templates[index].match):
            return &program.templates[index]
        index = program.templates[index].next
    return NULL


cdef inline Outcome _run(Program* program, Py_ssize_t index, Py_ssize_t end, xmlNode* node, Output* output) noexcept:
    cdef Instruction* instruction
    cdef Outcome outcome
    while index < end:
        instruction = &program.instructions[index]
        if instruction.kind == ATTRIBUTES:
            outcome = _write_attributes(program, instruction, node, output)
        elif instruction.kind == TEXT:
            outcome = write(output, instruction.text, instruction.length)
        else:
            outcome = _visit(program, instruction, node, output)
            if outcome == FOUND:
                outcome = CONTINUE
                if instruction.kind == WHEN or instruction.kind == WHEN_EQUAL:
                    outcome = _run(program, index + 1, instruction.end, node, output)
        if outcome != CONTINUE:
            return outcome
        index = instruction.end
    return CONTINUE


cdef inline Outcome _visit(Program* program, Instruction* instruction, xmlNode* context, Output* output) noexcept:
    """Do what the instruction says at each node of its path, in the order of the document, until FOUND."""
    if instruction.path.descendants:
        return _visit_descendants(program, instruction, context, output)
    return _visit_children(program, instruction, context, 0, output)


cdef inline Outcome _visit_children(
    Program* program, Instruction* instruction, xmlNode* parent, Py_ssize_t depth, Output* output
) noexcept:
    cdef xmlNode* child
    cdef Outcome outcome = CONTINUE
    if depth == instruction.path.count:
        return _do(program, instruction, parent, output)
    child = parent.children
    while child != NULL and outcome == CONTINUE:
        if child.type == XML_ELEMENT_NODE and matches(child, &program.steps[instruction.path.first + depth]):
            outcome = _visit_children(program, instruction, child, depth + 1, output)
        child = child.next
    return outcome


cdef inline Outcome _visit_descendants(Program* program, Instruction* instruction, xmlNode* context, Output* output) noexcept:
    cdef xmlNode* node = context
    cdef Outcome outcome
    while True:
        if node.type == XML_ELEMENT_NODE and node.children != NULL:
            node = node.children
        else:
            while node != context and node.next == NULL:
                node = node.parent
            if node == context:
                return CONTINUE
            node = node.next
        if node.type == XML_ELEMENT_NODE and _is_below(program, instruction, node, context):
            outcome = _do(program, instruction, node, output)
            if outcome != CONTINUE:
                return outcome


cdef inline bint _is_below(Program* program, Instruction* instruction, xmlNode* node, xmlNode* context) noexcept:
    """Whether the node and its ancestors match the steps, all of them below the context."""
    cdef Py_ssize_t index = instruction.path.first + instruction.path.count
    while index > instruction.path.first:
        index -= 1
        if node == context or not matches(node, &program.steps[index]):
            return False
        node = node.parent
    return True


cdef inline Outcome _do(Program* program, Instruction* instruction, xmlNode* node, Output* output) noexcept:
    """Do what the instruction says at one node of its path."""
    cdef xmlAttr* attribute = NULL
    if instruction.path.attribute != NULL:
        attribute = _attribute(node.properties, NULL, instruction.path.attribute)
        if attribute == NULL:
            return CONTINUE
    if instruction.kind == EACH:
        return _run(program, (instruction - program.instructions) + 1, instruction.end, node, output)
    if instruction.kind == APPLY:
        return apply(program, node, output)
    if instruction.kind == WHEN:
        return FOUND
    if instruction.kind == WHEN_EQUAL:
        return _compare(attribute, instruction.text)
    return write_value(output, attribute.children if attribute != NULL else node.children)


cdef inline Outcome _write_attributes(Program* program, Instruction* instruction, xmlNode* node, Output* output) noexcept:
    """Write the attributes. A document mostly has them in the order of the program, so each search goes on."""
    cdef Py_ssize_t index
    cdef Attribute* wanted
    cdef xmlAttr* attribute
    cdef xmlAttr* start = node.properties
    cdef Outcome outcome
    for index in range(instruction.first, instruction.first + instruction.count):
        wanted = &program.attributes[index]
        attribute = _attribute(start, NULL, wanted.name)
        if attribute == NULL:
            attribute = _attribute(node.properties, start, wanted.name)
        if attribute == NULL:
            if not wanted.optional and write(output, "|", 1) != CONTINUE:
                return NO_MEMORY
            continue
        start = attribute.next
        outcome = write(output, "|", 1)
        if outcome == CONTINUE:
            outcome = write_value(output, attribute.children)
        if outcome != FOUND:
            return outcome
    return CONTINUE


cdef inline bint _equal(const char* left, const char* right) noexcept:
    return left[0] == right[0] and strcmp(left, right) == 0


cdef inline bint matches(xmlNode* node, Step* step) noexcept:
    """Whether an element has the namespace and name of a step."""
    if step.name == NULL:
        return True
    return (
        node.name != NULL and _equal(<const char*> node.name, step.name)
        and node.ns != NULL and node.ns.href != NULL
        and strcmp(<const char*> node.ns.href, step.namespace) == 0
    )


cdef inline xmlAttr* _attribute(xmlAttr* attribute, xmlAttr* end, const char* name) noexcept:
    """Return the attribute without namespace of that name before `end`, else NULL."""
    while attribute != end:
        if attribute.ns == NULL and attribute.name != NULL and _equal(<const char*> attribute.name, name):
            return attribute
        attribute = attribute.next
    return NULL


cdef inline size_t hash_of(const char* text) noexcept:
    cdef size_t value = 5381
    while text[0] != 0:
        value = value * 33 ^ <unsigned char> text[0]
        text += 1
    return value


cdef inline Outcome _compare(xmlAttr* attribute, const char* text) noexcept:
    """Compare the string value of an attribute."""
    cdef xmlNode* node
    if attribute == NULL:
        return UNSUPPORTED
    node = attribute.children
    if node == NULL or (node.type == XML_TEXT_NODE and node.next == NULL and node.content == NULL):
        return FOUND if text[0] == 0 else CONTINUE
    if node.type != XML_TEXT_NODE or node.next != NULL:
        return UNSUPPORTED
    return FOUND if strcmp(<const char*> node.content, text) == 0 else CONTINUE
