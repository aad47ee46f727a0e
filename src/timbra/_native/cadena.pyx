"""Programs of the cadena original. `timbra.snapshot.build.cadena_programs` describes them.

The equal class in Python is in cadena_python; it also runs the few documents that this module does not (attributes with
references to entities, which the parser of documents rejects).
"""

cimport lxml.includes.etreepublic as lxml_api
from libc.stdlib cimport free, malloc
from libc.string cimport strlen
from lxml.includes.tree cimport XML_ELEMENT_NODE, xmlNode

from timbra._native.cadena_output cimport CONTINUE, NO_MEMORY, TOO_DEEP, Outcome, Output, write
from timbra._native.cadena_run cimport (
    APPLY, ATTRIBUTES, EACH, TEXT, VALUE, WHEN, WHEN_EQUAL, Attribute, Instruction, Path, Program, Step, Template, apply,
    hash_of, matches,
)

lxml_api.import_lxml__etree()

FORMAT = 1
KINDS = {"text": TEXT, "attributes": ATTRIBUTES, "value": VALUE, "if": WHEN, "if-equal": WHEN_EQUAL, "each": EACH,
         "apply": APPLY}


cdef class CadenaProgram:
    """A program that is ready to run.

    Args:
        program: The program, as read from its JSON.

    Raises:
        ValueError: The program has another format.
    """

    def __cinit__(self, dict program not None):
        if program["format"] != FORMAT:
            raise ValueError(f"programs of format {program['format']} are not supported")
        self._source = program
        self._strings = {}
        templates = program["templates"]
        counts = [0, 0, 0]
        for _, _, body in templates:
            _count(body, counts)
        self._program.steps = <Step*> _array(counts[0], sizeof(Step))
        self._program.attributes = <Attribute*> _array(counts[1], sizeof(Attribute))
        self._program.instructions = <Instruction*> _array(counts[2], sizeof(Instruction))
        self._program.templates = <Template*> _array(len(templates), sizeof(Template))
        self._program.mask = 1
        while self._program.mask < 2 * <Py_ssize_t> len(templates):
            self._program.mask *= 2
        self._program.buckets = <Py_ssize_t*> _array(self._program.mask, sizeof(Py_ssize_t))
        self._program.mask -= 1
        self._load(program["root"], templates)

    def __dealloc__(self):
        free(self._program.steps)
        free(self._program.attributes)
        free(self._program.instructions)
        free(self._program.templates)
        free(self._program.buckets)

    def run(self, lxml_api._Element root not None):
        """Return the cadena original of a document.

        Args:
            root: The root element, or another one in its place.

        Raises:
            RecursionError: The document is nested too deeply.
            TypeError: `root` is not an element.
        """
        cdef xmlNode* node = root._c_node
        if node == NULL or node.type != XML_ELEMENT_NODE:
            raise TypeError("not an element")
        original = self.original_of(node)
        if original is not None:
            return original.decode("utf-8")
        from timbra._native import cadena_python

        return cadena_python.CadenaProgram(self._source).run(root)

    cdef bytes original_of(self, xmlNode* node):
        """Return the cadena original in UTF-8; None for a document that this module does not run."""
        cdef Output output
        cdef Outcome outcome
        output.data, output.length, output.capacity, output.nesting = NULL, 0, 0, 0
        try:
            outcome = write(&output, self._before, strlen(self._before))
            if outcome == CONTINUE and matches(node, &self._root):
                outcome = apply(&self._program, node, &output)
            if outcome == CONTINUE:
                outcome = write(&output, self._after, strlen(self._after))
            if outcome == CONTINUE:
                return output.data[:output.length]
        finally:
            free(output.data)
        if outcome == NO_MEMORY:
            raise MemoryError
        if outcome == TOO_DEEP:
            raise RecursionError("the document is nested too deeply")
        return None

    # Loading

    cdef int _load(self, list root, list templates) except -1:
        cdef Py_ssize_t index, bucket
        cdef Template* template
        (_, before), (_, (_, [step], _)), (_, after) = root
        self._before, self._after = self._string(before), self._string(after)
        self._read_step(step, &self._root)
        for bucket in range(self._program.mask + 1):
            self._program.buckets[bucket] = -1
        for index in range(len(templates)):
            namespace, name, body = templates[index]
            template = &self._program.templates[index]
            self._read_step([namespace, name], &template.match)
            if template.match.name == NULL:
                raise ValueError("a template for any element")
            template.first = self._instruction_count
            self._read_block(body)
            template.end = self._instruction_count
            bucket = hash_of(template.match.name) & self._program.mask
            template.next = self._program.buckets[bucket]
            self._program.buckets[bucket] = index
        return 0

    cdef const char* _string(self, str text) except NULL:
        cdef bytes encoded = self._strings.setdefault(text, text.encode("utf-8"))
        if b"\0" in encoded:
            raise ValueError("a string with a zero character")
        return encoded

    cdef int _read_step(self, list step, Step* target) except -1:
        namespace, name = step
        target.namespace = target.name = NULL
        if namespace >= 0:
            target.namespace = self._string(self._source["namespaces"][namespace])
            target.name = self._string(name)
        return 0

    cdef int _read_path(self, list path, Path* target) except -1:
        axis, steps, attribute = path
        target.first, target.count = self._step_count, len(steps)
        target.descendants = axis == ".//"
        if axis not in ("./", ".//") or (target.descendants and not steps):
            raise ValueError(f"unknown axis {axis!r}")
        target.attribute = NULL
        if attribute:
            target.attribute = self._string(attribute)
        for step in steps:
            self._read_step(step, &self._program.steps[self._step_count])
            self._step_count += 1
        return 0

    cdef int _read_block(self, list instructions) except -1:
        cdef Instruction* target
        for kind, first, *rest in instructions:
            target = &self._program.instructions[self._instruction_count]
            self._instruction_count += 1
            target.kind = KINDS[kind]
            target.first, target.count, target.text, target.length = self._attribute_count, 0, NULL, 0
            if target.kind == TEXT:
                target.text = self._string(first)
                target.length = strlen(target.text)
            elif target.kind == ATTRIBUTES:
                target.count = len(first)
                for name in first:
                    self._program.attributes[self._attribute_count].name = self._string(name.removesuffix("?"))
                    self._program.attributes[self._attribute_count].optional = name.endswith("?")
                    self._attribute_count += 1
            else:
                self._read_path(first, &target.path)
            if target.kind == WHEN_EQUAL:
                target.text = self._string(rest[0])
            if target.kind in (WHEN, WHEN_EQUAL, EACH):
                self._read_block(rest[-1])
            target.end = self._instruction_count
        return 0


cdef int _count(list instructions, list counts) except -1:
    """Add up steps, attributes and instructions."""
    counts[2] += len(instructions)
    for kind, first, *rest in instructions:
        if kind == "attributes":
            counts[1] += len(first)
        elif kind != "text":
            counts[0] += len(first[1])
        if kind in ("if", "if-equal", "each"):
            _count(rest[-1], counts)
    return 0


cdef void* _array(Py_ssize_t count, size_t size) except NULL:
    cdef void* memory = malloc(max(count, 1) * size)
    if memory == NULL:
        raise MemoryError
    return memory
