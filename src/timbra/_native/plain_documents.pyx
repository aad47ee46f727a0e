# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Plain documents: read from their bytes into one block of memory, without a parser and without Python objects.

A document is plain when every parser must read it in one way: elements of a few known kinds with the prefix of the
standard, known attributes, the five predefined entities, nothing between tags but white space. Every other one, valid or
not, is left to the ordinary path. `timbra.stamping.plain.layout` describes the kinds of elements. The elements have the
structures of libxml2, so that `valid_forms` and `cadena` read them; libxml2 itself is not called.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcmp, memcpy, memset, strcmp
from lxml.includes.tree cimport XML_ATTRIBUTE_NODE, XML_ELEMENT_NODE, XML_TEXT_NODE, xmlAttr, xmlNode, xmlNs

from timbra._native.cadena cimport CadenaProgram
from timbra._native.valid_forms cimport ValidForms

cdef extern from *:
    ctypedef long long wide "__int128"

cdef enum:
    LONGEST = 262144
    MOST_KINDS = 64
    MOST_DECLARED = 64
    MOST_NUMBERS = 12
    MOST_TEXTS = 3
    MOST_ROLES = 8
    MOST_BY = 4
    MOST_WHERE = 3
    MOST_SPACES = 4
    DECIMALS = 6
    MOST_UNITS = 12
    SLACK = 256  # names and entities are compared with bytes after the end
    UNIT = 1000000
    CENT = 10000
    LARGEST_FACTOR = 1000000  # so that no sum of products overflows
    KIND_ROLE = 7  # TipoDeComprobante
    # marks in keys; no value has these bytes
    ELEMENT_MARK = 1
    VALUE_MARK = 2
    PRESENT_MARK = 3
    LEAST_IDENTIFIER = 32

cdef enum:  # sections of keys
    HEADER
    RECEIVER
    CONCEPT
    TAIL
    COMPLEMENT
    NOWHERE

cdef enum Operation:
    POSITIVE
    AT_MOST
    DECIMALS_OF_CURRENCY
    DECIMALS_OF_OTHER
    PRODUCT
    SUM
    SUM_IF_PRESENT
    GROUP_SUM
    BALANCE
    DIFFERENCE
    COVERS
    NEAR_GROUP_SUM

cdef enum:  # sealed attributes
    CERTIFICATE_NUMBER
    CERTIFICATE
    SEAL
    SEALED

cdef struct Declared:
    const char* name
    Py_ssize_t length
    bint in_key, is_amount, in_full_key, in_whole_key
    int number, text, role, sealed

cdef struct Kind:
    const char* name
    Py_ssize_t length
    int parent, space, section, also, number_count
    int first, next  # the first kind inside, the next one around; -1 for none
    bint begins_concept, holds_complement
    Declared* attributes
    int attribute_count

cdef struct Where:
    int number, text
    const char* equals
    int64_t value

cdef struct Form:
    int operation, types, kind, one, two, three, other, part
    int up, other_up  # steps to the element that contains both, -1 for the root
    int factor, factor_up  # number of an element around the other one, -1 for none
    int by_count, where_count
    int by[MOST_BY]
    int other_by[MOST_BY]
    Where where[MOST_WHERE]

cdef struct Space:
    const char* prefix
    Py_ssize_t length
    xmlNs own

cdef struct Number:
    int64_t value
    int decimals  # -1 for an absent one

cdef struct Item:
    xmlNode node
    int kind
    Item* parent
    const char* texts[MOST_TEXTS]
    Number* numbers  # those of the kind

cdef struct Cell:
    xmlAttr attribute
    xmlNode text

cdef struct Span:
    Py_ssize_t begin, end

cdef struct Buffer:
    char* data
    Py_ssize_t size

cdef const char** DECLARATIONS = [
    b'<?xml version="1.0" encoding="utf-8"?>', b'<?xml version="1.0" encoding="UTF-8"?>',
    b"<?xml version='1.0' encoding='utf-8'?>", b"<?xml version='1.0' encoding='UTF-8'?>",
]
cdef Py_ssize_t DECLARATION_LENGTH = 38
cdef const char** ENTITIES = [b"amp;", b"quot;", b"lt;", b"gt;", b"apos;"]
cdef int* ENTITY_LENGTHS = [4, 5, 3, 3, 5]
cdef char* ENTITY_TEXTS = b"&\"<>'"
cdef bytes WRITTEN_DECLARATION = b'<?xml version="1.0" encoding="utf-8"?>'
cdef bytes SOME_SEAL = b"-"
cdef unsigned char in_value[256]

cdef void fill_classes() noexcept:
    cdef int byte
    for byte in range(256):
        in_value[byte] = byte >= 0x20 and byte != 0x7F and byte not in (c"<", c"&", c'"', c"'")

fill_classes()


cdef inline bint is_blank(unsigned char byte) noexcept nogil:
    return byte == c" " or byte == c"\n" or byte == c"\t" or byte == c"\r"


cdef class PlainReader:
    """Reads the plain documents of one schema, with complements of others.

    Args:
        forms: the declarations of the schema, then those of each complement.
        cadena: the program of the cadena original.
        layout: a `timbra.stamping.plain.layout_compiler.Layout`.
    """

    cdef list forms
    cdef CadenaProgram cadena
    cdef str types, full_keys, whole_keys
    cdef list texts  # keeps the memory of all names
    cdef Kind kinds[MOST_KINDS]
    cdef int kind_count
    cdef Form* amounts
    cdef int form_count
    cdef bytes prefix, namespace
    cdef Space spaces[MOST_SPACES]

    def __cinit__(self, list forms not None, CadenaProgram cadena not None, layout):
        cdef Py_ssize_t length
        self.forms, self.cadena, self.texts, self.types = forms, cadena, [], layout.types
        self.full_keys, self.whole_keys = layout.full_keys, layout.whole_keys
        if len(layout.kinds) > MOST_KINDS or not 0 < len(layout.spaces) == len(forms) <= MOST_SPACES:
            raise ValueError("too many kinds of elements")
        for number, (prefix, namespace) in enumerate(layout.spaces):
            memset(&self.spaces[number], 0, sizeof(Space))
            self.spaces[number].prefix = self.name(prefix + ":", &self.spaces[number].length)
            self.spaces[number].own.href = <const unsigned char*>self.name(namespace, &length)
        self.prefix, self.namespace = self.texts[0], self.texts[1]
        for kind in layout.kinds:
            self.add_kind(&self.kinds[self.kind_count], kind)
            self.kind_count += 1
        self.link_kinds()
        self.amounts = <Form*>calloc(len(layout.forms) + 1, sizeof(Form))
        if self.amounts == NULL:
            raise MemoryError
        for form in layout.forms:
            self.add_form(&self.amounts[self.form_count], form)
            self.form_count += 1

    def __dealloc__(self):
        cdef int number
        for number in range(self.kind_count):
            free(self.kinds[number].attributes)
        free(self.amounts)

    cdef int link_kinds(self) except -1:
        cdef int number, other
        for number in range(self.kind_count):
            self.kinds[number].first = self.kinds[number].next = -1
            for other in range(self.kind_count - 1, number, -1):
                if self.kinds[other].parent == number:
                    self.kinds[number].first = other
                if self.kinds[other].parent == self.kinds[number].parent:
                    self.kinds[number].next = other
        return 0

    cdef const char* name(self, str text, Py_ssize_t* length) except NULL:
        cdef bytes encoded = text.encode()
        self.texts.append(encoded)
        length[0] = PyBytes_GET_SIZE(encoded)
        return PyBytes_AS_STRING(encoded)

    cdef int add_kind(self, Kind* target, kind) except -1:
        cdef Declared* declared
        target.name = self.name(kind.name, &target.length)
        target.parent, target.space, target.section, target.also = kind.parent, kind.space, kind.section, kind.also
        target.begins_concept, target.holds_complement = kind.begins_concept, kind.holds_complement
        target.attribute_count = len(kind.attributes)
        if target.attribute_count > MOST_DECLARED:
            raise ValueError("too many attributes")
        target.attributes = <Declared*>calloc(target.attribute_count + 1, sizeof(Declared))
        if target.attributes == NULL:
            raise MemoryError
        for number, attribute in enumerate(kind.attributes):
            declared = &target.attributes[number]
            declared.name = self.name(attribute.name, &declared.length)
            declared.in_key, declared.is_amount = attribute.in_key, attribute.is_amount
            declared.in_full_key, declared.in_whole_key = attribute.in_full_key, attribute.in_whole_key
            declared.number, declared.text = attribute.number, attribute.text
            declared.role, declared.sealed = attribute.role, attribute.sealed
            if declared.number >= MOST_NUMBERS or declared.text >= MOST_TEXTS or declared.role >= MOST_ROLES:
                raise ValueError("too many numbers, texts or roles")
            target.number_count = max(target.number_count, declared.number + 1)
        return 0

    cdef int add_form(self, Form* target, form) except -1:
        cdef Py_ssize_t length
        if len(form.by) > MOST_BY or len(form.where) > MOST_WHERE:
            raise ValueError("too many attributes of a group")
        target.types, target.up, target.other_up = form.types, form.up, form.other_up
        target.factor, target.factor_up, target.where_count = form.factor, form.factor_up, len(form.where)
        for place, (of_part, equals) in enumerate(form.where):
            target.where[place].number, target.where[place].text = of_part, -1 - of_part
            if of_part < 0:
                target.where[place].equals = self.name(equals, &length)
            else:
                target.where[place].value = equals
        target.operation, target.kind, target.one, target.two, target.three = (
            form.operation, form.kind, form.one, form.two, form.three)
        target.other, target.part, target.by_count = form.other, form.part, len(form.by)
        for number, (own, of_part) in enumerate(form.by):
            target.by[number], target.other_by[number] = own, of_part
        return 0

    def read(self, bytes xml not None, bint is_sealed=False, bint is_whole=False):
        """Return the `PlainDocument` of the bytes.

        None for a document that is not plain, that is not surely valid by its schema (whatever its seal, unless it is
        `is_sealed`), or whose amounts do not surely satisfy the forms, of an `is_whole` one those of its complement
        excepted: its keys have all values.
        """
        cdef PlainDocument document
        cdef ValidForms forms
        if PyBytes_GET_SIZE(xml) > LONGEST or (b"\xef" in xml and b"\xef\xbf" in xml):
            return None
        try:
            xml.decode("utf-8")
        except UnicodeDecodeError:
            return None
        document = PlainDocument.__new__(PlainDocument)
        document.has_whole_keys = is_whole
        document.open(self, xml)
        if not document.parse():
            return None
        if not is_sealed:
            document.set_sealed(SEAL, b"Sello", SOME_SEAL)
            document.set_sealed(CERTIFICATE_NUMBER, b"NoCertificado", SOME_SEAL)
            document.set_sealed(CERTIFICATE, b"Certificado", SOME_SEAL)
        forms = self.forms[0]
        if not forms.accepts_node(&document.items[0].node):
            return None
        if document.complement != NULL:
            forms = self.forms[self.kinds[document.complement.kind].space]
            if not forms.accepts_node(&document.complement.node):
                return None
        if not document.satisfies_forms():
            return None
        return document


cdef class PlainDocument:
    """A plain document.

    Attributes:
        prolog: the namespaces and schema locations of the root, as written.
    """

    cdef PlainReader reader
    cdef bytes source
    cdef char* block
    cdef unsigned char* text
    cdef Item* items
    cdef Number* numbers  # the next free one
    cdef Py_ssize_t item_count, item_room
    cdef Cell* cells
    cdef Py_ssize_t cell_count, cell_room
    cdef Buffer keys[NOWHERE]
    cdef Py_ssize_t* concepts  # begin of each in its buffer
    cdef Py_ssize_t concept_count
    cdef Span spans[SEALED]  # of values, with their quotes
    cdef xmlNode* sealed[SEALED]
    cdef Py_ssize_t attributes_end, root_end, complement_end, declaration_end
    cdef const char* roles[MOST_ROLES]
    cdef Item* complement
    cdef int type  # the bit of TipoDeComprobante
    cdef bint has_full_keys, has_whole_keys, has_holder
    cdef list pieces
    cdef list held

    def __dealloc__(self):
        free(self.block)

    @property
    def prolog(self):
        return b"".join(self.pieces)

    @property
    def header(self):
        return self.key(HEADER)

    @property
    def receiver(self):
        return self.key(RECEIVER)

    @property
    def tail(self):
        return self.key(TAIL)

    @property
    def complement_key(self):
        """The key of the complement; empty without one."""
        return self.key(COMPLEMENT)

    def grouped(self, int kind, int text):
        """Return the texts of an attribute of all elements of a kind, a list for each element around them."""
        cdef Item* around = NULL
        cdef Item* item
        cdef Py_ssize_t place
        cdef list groups = [], group = []
        if not 0 <= text < MOST_TEXTS:
            raise IndexError("no such text")
        for place in range(self.item_count):
            item = &self.items[place]
            if item.kind == kind and item.texts[text] != NULL:
                if item.parent != around:
                    group = []
                    groups.append(group)
                    around = item.parent
                group.append((<bytes>item.texts[text]).decode("utf-8"))
        return groups

    @property
    def concept_keys(self):
        """The key of each concept."""
        cdef Buffer* buffer = &self.keys[CONCEPT]
        cdef Py_ssize_t number, end
        cdef list found = []
        for number in range(self.concept_count):
            end = self.concepts[number + 1] if number + 1 < self.concept_count else buffer.size
            found.append(PyBytes_FromStringAndSize(buffer.data + self.concepts[number], end - self.concepts[number]))
        return found

    cdef bytes key(self, int section):
        return PyBytes_FromStringAndSize(self.keys[section].data, self.keys[section].size)

    def value(self, int role):
        """Return the text of the attribute with a role; None when it is absent."""
        if not 0 <= role < MOST_ROLES:
            raise IndexError("no such role")
        return None if self.roles[role] == NULL else (<bytes>self.roles[role]).decode("utf-8")

    # Reading

    cdef int open(self, PlainReader reader, bytes xml) except -1:
        """Reserve one block of memory for everything that the document may have."""
        cdef Py_ssize_t length = PyBytes_GET_SIZE(xml), section
        cdef const char* source = PyBytes_AS_STRING(xml)
        cdef size_t size
        self.reader, self.source, self.pieces, self.held = reader, xml, [], []
        self.item_room, self.cell_room = xml.count(b"<"), xml.count(b"=") + SEALED
        size = self.item_room * (sizeof(Item) + MOST_NUMBERS * sizeof(Number) + sizeof(Py_ssize_t))
        size += self.cell_room * sizeof(Cell)
        self.block = <char*>malloc(size + (length + 1) * (1 + NOWHERE) + SLACK)
        if self.block == NULL:
            raise MemoryError
        self.items = <Item*>self.block
        self.cells = <Cell*>(self.block + self.item_room * sizeof(Item))
        self.concepts = <Py_ssize_t*>(<char*>self.cells + self.cell_room * sizeof(Cell))
        self.numbers = <Number*>(<char*>self.concepts + self.item_room * sizeof(Py_ssize_t))
        self.text = <unsigned char*>(self.block + size)
        memcpy(self.text, source, length + 1)
        for section in range(NOWHERE):
            self.keys[section].data = <char*>self.text + (section + 1) * (length + 1)
            self.keys[section].size = 0
        memset(self.roles, 0, sizeof(self.roles))
        memset(self.sealed, 0, sizeof(self.sealed))
        return 0

    cdef bint parse(self):
        """Read the whole document; return whether it is plain."""
        cdef unsigned char* at = self.text
        cdef unsigned char* end = self.text + PyBytes_GET_SIZE(self.source)
        cdef Item* current = NULL
        cdef int number
        for number in range(4):
            if memcmp(at, DECLARATIONS[number], DECLARATION_LENGTH) == 0:
                at += DECLARATION_LENGTH
                self.declaration_end = DECLARATION_LENGTH
                while is_blank(at[0]):
                    at += 1
                break
        while True:
            if at[0] != c"<":
                return False
            if at[1] == c"/":
                if current == NULL:
                    return False
                if current.parent == NULL:
                    self.root_end = at - self.text
                elif self.complement != NULL and current == self.complement.parent:
                    self.complement_end = at - self.text
                at = self.end_tag(at + 2, current)
                if at == NULL:
                    return False
                current = current.parent
            else:
                at = self.start_tag(at + 1, &current)
                if at == NULL:
                    return False
            if current == NULL:
                break
            if self.reader.kinds[current.kind].first >= 0:  # else the schema allows no blank
                while is_blank(at[0]):
                    at += 1
        while is_blank(at[0]):
            at += 1
        return at == end and self.root_end > 0 and self.has_holder == (self.complement_end > 0)

    cdef unsigned char* past_name(self, unsigned char* at, Kind* kind) noexcept:
        """Return the place after the name of a kind; NULL when it is not there."""
        cdef Space* space = &self.reader.spaces[kind.space]
        if memcmp(at, space.prefix, space.length) == 0 and memcmp(at + space.length, kind.name, kind.length) == 0:
            return at + space.length + kind.length
        return NULL

    cdef unsigned char* end_tag(self, unsigned char* at, Item* current) noexcept:
        at = self.past_name(at, &self.reader.kinds[current.kind])
        if at == NULL:
            return NULL
        while is_blank(at[0]):
            at += 1
        return at + 1 if at[0] == c">" else NULL

    cdef unsigned char* start_tag(self, unsigned char* at, Item** current):
        cdef int number, parent = -1 if current[0] == NULL else current[0].kind
        cdef unsigned char* after
        cdef Item* item
        cdef Kind* kind
        number = 0 if parent < 0 else self.reader.kinds[parent].first
        while True:
            if number < 0:
                return NULL
            kind = &self.reader.kinds[number]
            after = self.past_name(at, kind)
            if after != NULL and (is_blank(after[0]) or after[0] == c">" or after[0] == c"/"):
                break
            number = kind.next
        if self.item_count == self.item_room:
            return NULL
        item = &self.items[self.item_count]
        self.item_count += 1
        memset(item, 0, sizeof(Item))
        item.kind, item.parent, item.numbers = number, current[0], self.numbers
        self.numbers += kind.number_count
        item.node.type, item.node.name = XML_ELEMENT_NODE, <const unsigned char*>kind.name
        item.node.ns = &self.reader.spaces[kind.space].own
        for number in range(kind.number_count):
            item.numbers[number] = Number(0, -1)
        if item.parent != NULL:
            item.node.parent = &item.parent.node
            if item.parent.node.last == NULL:
                item.parent.node.children = &item.node
            else:
                item.parent.node.last.next = &item.node
            item.parent.node.last = &item.node
        if kind.begins_concept:
            self.concepts[self.concept_count] = self.keys[CONCEPT].size
            self.concept_count += 1
        self.has_holder |= kind.holds_complement
        if kind.space != 0 and self.reader.kinds[kind.parent].space == 0:
            if self.complement != NULL:
                return NULL
            self.complement = item
        self.mark(kind, item.kind)
        at = self.attributes(after, item, kind)
        if at == NULL:
            return NULL
        if item.parent == NULL and not self.read_type():
            return NULL
        if at[0] == c"/":
            return at + 2 if at[1] == c">" and item.parent != NULL else NULL
        current[0] = item
        return at + 1

    cdef void mark(self, Kind* kind, int number) noexcept:
        """Write the beginning of an element into the keys."""
        if kind.section != NOWHERE:
            put(&self.keys[kind.section], ELEMENT_MARK, number)
        if kind.also != NOWHERE:
            put(&self.keys[kind.also], ELEMENT_MARK, number)

    cdef bint read_type(self):
        """Read TipoDeComprobante; return whether documents of this type may be plain."""
        cdef int place
        cdef str text
        if self.roles[KIND_ROLE] == NULL:
            return False
        text = (<bytes>self.roles[KIND_ROLE]).decode("utf-8")
        place = self.reader.types.find(text)
        if place < 0 or len(text) != 1:
            return False
        self.type = 1 << place
        self.has_full_keys = text in self.reader.full_keys
        self.has_whole_keys = self.has_whole_keys or text in self.reader.whole_keys
        return True

    cdef unsigned char* attributes(self, unsigned char* at, Item* item, Kind* kind):
        """Read the attributes; return the place of `>` or `/`."""
        cdef unsigned char* name
        cdef unsigned char* value
        cdef Declared* declared
        cdef Py_ssize_t length
        cdef int place = 0, tried
        cdef unsigned long long seen = 0
        cdef xmlAttr* last = NULL
        while True:
            name = at
            while is_blank(name[0]):
                name += 1
            if name[0] == c">" or name[0] == c"/":
                return name
            if name == at:
                return NULL
            value = name
            while in_value[value[0]] and value[0] not in (c"=", c" ", c">", c"/"):
                value += 1
            length = value - name
            if value[0] != c"=" or length == 0:
                return NULL
            value += 1
            for tried in range(kind.attribute_count):
                if place >= kind.attribute_count:
                    place = 0
                declared = &kind.attributes[place]
                if declared.length == length and memcmp(declared.name, name, length) == 0:
                    break
                place += 1
            else:
                if item.parent != NULL or not is_of_namespaces(name, length):
                    return NULL
                at = past_value(value)
                if at == NULL:
                    return NULL
                if not self.is_own_namespace(name, length, value, at):
                    return NULL
                self.pieces.append(b" " + self.source[name - self.text:at - self.text])
                self.attributes_end = at - self.text
                continue
            if seen >> place & 1 or self.cell_count == self.cell_room:
                return NULL
            seen |= <unsigned long long>1 << place
            at = self.attribute(value, item, kind, declared, &last)
            if at == NULL:
                return NULL
            if item.parent == NULL:
                self.attributes_end = at - self.text
            place += 1

    cdef bint is_own_namespace(
            self, unsigned char* name, Py_ssize_t length, unsigned char* value, unsigned char* after) noexcept:
        """Whether an attribute about namespaces gives the prefix of the document its own namespace, if it is that."""
        cdef Py_ssize_t own = PyBytes_GET_SIZE(self.reader.prefix) - 1
        if length != 6 + own or memcmp(name, b"xmlns:", 6) != 0 or memcmp(
                name + 6, PyBytes_AS_STRING(self.reader.prefix), own) != 0:
            return True
        length = PyBytes_GET_SIZE(self.reader.namespace)
        return after - value == length + 2 and memcmp(
            value + 1, PyBytes_AS_STRING(self.reader.namespace), length) == 0

    cdef unsigned char* attribute(
            self, unsigned char* value, Item* item, Kind* kind, Declared* declared, xmlAttr** last) noexcept:
        """Read the value of a known attribute, which ends with NUL afterwards; return the place after it."""
        cdef unsigned char* begin = value + 1
        cdef unsigned char* end
        cdef unsigned char* after = decoded_value(value, &end)
        cdef int number = declared - kind.attributes
        cdef bint in_key, in_whole_key
        if after == NULL or (end != begin and (begin[0] == c" " or (end - 1)[0] == c" ")):
            return NULL
        if declared.sealed >= 0:
            self.spans[declared.sealed] = Span(value - self.text, after - self.text)
        self.sealed_text(self.append(&item.node, declared.name, begin, last), declared)
        in_key = declared.in_key or (declared.in_full_key and self.has_full_keys) or (
            declared.is_amount and end - begin == 1 and begin[0] in (c"0", c"1"))
        in_whole_key = declared.in_whole_key and self.has_whole_keys
        self.put(kind.section, in_key or (in_whole_key and kind.section != HEADER), declared, number, begin, end)
        if not kind.begins_concept:
            self.put(kind.also, in_key or in_whole_key, declared, number, begin, end)
        if declared.number >= 0 and not read_number(begin, &item.numbers[declared.number]):
            return NULL
        if declared.text >= 0:
            item.texts[declared.text] = <const char*>begin
        if declared.role >= 0:
            self.roles[declared.role] = <const char*>begin
        return after

    cdef void put(
            self, int section, bint in_key, Declared* declared, int number, unsigned char* begin, unsigned char* end
    ) noexcept:
        """Write an attribute into a key."""
        if section != NOWHERE and (in_key or declared.is_amount):
            put_value(&self.keys[section], in_key, number, begin, end - begin)

    cdef void sealed_text(self, xmlNode* text, Declared* declared) noexcept:
        if declared.sealed >= 0:
            self.sealed[declared.sealed] = text

    cdef xmlNode* append(self, xmlNode* node, const char* name, unsigned char* value, xmlAttr** last) noexcept:
        """Append an attribute to an element; return its text."""
        cdef Cell* cell = &self.cells[self.cell_count]
        self.cell_count += 1
        memset(cell, 0, sizeof(Cell))
        cell.attribute.type, cell.attribute.name = XML_ATTRIBUTE_NODE, <const unsigned char*>name
        cell.attribute.parent = node
        cell.attribute.children = cell.attribute.last = &cell.text
        cell.text.type, cell.text.content = XML_TEXT_NODE, value
        cell.text.parent = <xmlNode*>&cell.attribute
        if last[0] == NULL:
            node.properties = &cell.attribute
        else:
            last[0].next = &cell.attribute
        last[0] = &cell.attribute
        return &cell.text

    # Amounts

    cdef bint satisfies_forms(self) noexcept:
        cdef int number
        cdef Form* form
        for number in range(self.reader.form_count):
            form = &self.reader.amounts[number]
            if not form.types & self.type or (self.has_whole_keys and self.reader.kinds[form.kind].space != 0):
                continue
            if not self.satisfies(form):
                return False
        return True

    cdef bint satisfies(self, Form* form) noexcept:
        """Whether each element of the kind has the form; what is absent counts as 0 unless the form says more."""
        cdef Py_ssize_t place
        cdef Item* item
        for place in range(self.item_count):
            item = &self.items[place]
            if item.kind == form.kind and not self.has_form(form, item):
                return False
        return True

    cdef bint has_form(self, Form* form, Item* item) noexcept:
        cdef Number* one = &item.numbers[form.one]
        cdef Number* two = &item.numbers[form.two]
        cdef Number* three = &item.numbers[form.three]
        cdef wide total, difference
        cdef bint is_any = False
        if form.operation == POSITIVE:
            return one.value > 0
        if form.operation == AT_MOST:
            return one.value <= two.value
        if form.operation == DECIMALS_OF_CURRENCY:
            return one.decimals <= (0 if self.has_no_decimals(item) else 2)
        if form.operation == DECIMALS_OF_OTHER:
            return one.decimals < 0 or one.decimals <= (0 if two.decimals < 0 else two.decimals)
        if form.operation == PRODUCT:
            if two.decimals < 0 or three.decimals < 0:
                return True
            difference = <wide>one.value * two.value - <wide>three.value * UNIT
            if difference < 0:
                difference = -difference
            return difference < <wide>unit_of(three.decimals) * UNIT
        if form.operation == GROUP_SUM:
            return one.decimals < 0 or one.value == rounded(self.sum_of(form, item, True, &is_any))
        if form.operation == NEAR_GROUP_SUM:
            difference = self.sum_of(form, item, True, &is_any) - one.value
            if difference < 0:
                difference = -difference
            return one.decimals < 0 or difference < unit_of(one.decimals)
        if form.operation == DIFFERENCE:
            return one.value == two.value - three.value
        if form.operation == BALANCE:
            return one.decimals <= (0 if self.has_no_decimals(item) else 2) and one.value == rounded(
                self.balance(form, item))
        total = self.sum_of(form, item, False, &is_any)
        if form.operation == COVERS:
            return one.value >= total
        if form.operation == SUM:
            return one.decimals < 0 or one.value == total
        if form.factor >= 0:
            return (one.decimals >= 0) == is_any and <wide>one.value * UNIT == rounded_to(total, <wide>CENT * UNIT)
        return (one.decimals >= 0) == is_any and one.value == rounded(total)

    cdef bint has_no_decimals(self, Item* item) noexcept:
        """Whether the currency of an amount has no decimals: that of an invoice about payments, XXX."""
        return self.roles[KIND_ROLE][0] == c"P" and self.reader.kinds[item.kind].space == 0

    cdef wide sum_of(self, Form* form, Item* one, bint in_one_group, bint* is_any) noexcept:
        """Return the sum of a number of the elements of the other kind that the form selects.

        These are those inside of the element that contains both, those with the values that the form states, and those
        in the group of the one element. The sum of a form with a factor is in millionths of millionths, and negative
        with a factor that is too large. So is that of a form with values when an element with them has no number.
        """
        cdef wide total = 0, part
        cdef int64_t factor
        cdef Py_ssize_t place
        cdef Item* item
        cdef Item* around = above(one, form.up) if form.up >= 0 else NULL
        for place in range(self.item_count):
            item = &self.items[place]
            if item.kind != form.other or not has_values(form, item):
                continue
            if around != NULL and above(item, form.other_up) != around:
                continue
            if item.numbers[form.part].decimals < 0:
                if form.where_count:
                    return -1
                continue
            is_any[0] = True
            if in_one_group and not in_group(form, one, item):
                continue
            part = item.numbers[form.part].value
            if form.factor >= 0:
                factor = factor_of(&above(item, form.factor_up).numbers[form.factor])
                if factor < 0:
                    return -1
                part *= factor
            total += part
        return total

    cdef wide balance(self, Form* form, Item* item) noexcept:
        """Return the first number minus the second, with those of the other kind: plus the first, minus the second."""
        cdef wide total = <wide>item.numbers[form.two].value - item.numbers[form.three].value
        cdef Py_ssize_t place
        for place in range(self.item_count):
            if self.items[place].kind == form.other:
                total += self.items[place].numbers[form.part].value - self.items[place].numbers[form.by[0]].value
        return total

    # Sealing

    def prepare(self, bytes number not None, bytes certificate not None):
        """Set the attributes of the certificate in the tree; return the cadena original."""
        self.set_sealed(CERTIFICATE_NUMBER, b"NoCertificado", number)
        self.set_sealed(CERTIFICATE, b"Certificado", certificate)
        return self.original()

    def original(self):
        """Return the cadena original in UTF-8."""
        return self.reader.cadena.original_of(&self.items[0].node)

    cdef int set_sealed(self, int which, bytes name, bytes value) except -1:
        cdef xmlAttr* last = self.items[0].node.properties
        self.held.append((name, value))
        if self.sealed[which] != NULL:
            self.sealed[which].content = <unsigned char*>PyBytes_AS_STRING(value)
            return 0
        while last != NULL and last.next != NULL:
            last = last.next
        self.sealed[which] = self.append(
            &self.items[0].node, PyBytes_AS_STRING(name), <unsigned char*>PyBytes_AS_STRING(value), &last)
        return 0

    def finish(self, bytes complement not None, tuple sealed=()):
        """Return the bytes with one more complement.

        Args:
            complement: an element, the last one in Complemento.
            sealed: NoCertificado, Certificado and Sello to write; empty to keep those of the bytes.
        """
        cdef list parts = [] if self.declaration_end else [WRITTEN_DECLARATION]
        cdef list written = []
        cdef bytes source = self.source, prefix = self.reader.prefix
        cdef Py_ssize_t at = 0
        cdef int which
        for which, (name, value) in enumerate(zip((b"NoCertificado", b"Certificado", b"Sello"), sealed)):
            if self.spans[which].end:
                written.append((self.spans[which].begin, self.spans[which].end, b'"%b"' % value))
            else:
                written.append((self.attributes_end, self.attributes_end, b' %b="%b"' % (name, value)))
        written.sort(key=begin_of)
        for begin, end, value in written:
            parts += (source[at:begin], value)
            at = end
        if self.complement_end:
            parts += (source[at:self.complement_end], complement, source[self.complement_end:])
        else:
            parts += (source[at:self.root_end], b"<", prefix, b"Complemento>", complement, b"</", prefix,
                      b"Complemento>", source[self.root_end:])
        return b"".join(parts)


def begin_of(part):
    return part[0]


cdef inline bint is_of_namespaces(unsigned char* name, Py_ssize_t length) noexcept:
    """Whether an attribute declares a prefix or the places of schemas."""
    return (length > 6 and memcmp(name, b"xmlns:", 6) == 0) or (
        length == 18 and memcmp(name, b"xsi:schemaLocation", 18) == 0)


cdef inline unsigned char* past_value(unsigned char* at) noexcept:
    """Return the place after a quoted value without entities; NULL when there is none."""
    cdef unsigned char quote = at[0]
    if quote != c'"' and quote != c"'":
        return NULL
    at += 1
    while in_value[at[0]] or is_blank(at[0]):
        at += 1
    return at + 1 if at[0] == quote else NULL


cdef inline unsigned char* decoded_value(unsigned char* at, unsigned char** end) noexcept:
    """Decode a quoted value in its place and end it with NUL; return the place after it, NULL when it is not plain."""
    cdef unsigned char quote = at[0]
    cdef unsigned char* target
    cdef int number
    if quote != c'"' and quote != c"'":
        return NULL
    at += 1
    while in_value[at[0]]:
        at += 1
    target = at
    while True:
        if in_value[at[0]] or (at[0] != quote and (at[0] == c'"' or at[0] == c"'")):
            target[0] = at[0]
            at += 1
        elif at[0] == quote:
            target[0] = 0
            end[0] = target
            return at + 1
        elif at[0] == c"&":
            for number in range(5):
                if memcmp(at + 1, ENTITIES[number], ENTITY_LENGTHS[number]) == 0:
                    break
            else:
                return NULL
            target[0] = ENTITY_TEXTS[number]
            at += 1 + ENTITY_LENGTHS[number]
        else:
            return NULL
        target += 1


cdef inline void put(Buffer* buffer, int mark, int number) noexcept:
    buffer.data[buffer.size] = <char>mark
    buffer.data[buffer.size + 1] = <char>(LEAST_IDENTIFIER + number)
    buffer.size += 2


cdef inline void put_value(
        Buffer* buffer, bint in_key, int number, const unsigned char* value, Py_ssize_t length) noexcept:
    put(buffer, VALUE_MARK if in_key else PRESENT_MARK, number)
    if in_key:
        memcpy(buffer.data + buffer.size, value, length)
        buffer.size += length


cdef inline bint read_number(const unsigned char* text, Number* number) noexcept:
    """Read a number without sign of few digits; return whether it is one."""
    cdef int units = 0, decimals = 0
    cdef int64_t value = 0
    while c"0" <= text[0] <= c"9":
        if units == MOST_UNITS:
            return False
        value = value * 10 + (text[0] - c"0")
        units += 1
        text += 1
    if units == 0:
        return False
    if text[0] == c".":
        text += 1
        while c"0" <= text[0] <= c"9":
            if decimals == DECIMALS:
                return False
            value = value * 10 + (text[0] - c"0")
            decimals += 1
            text += 1
        if decimals == 0:
            return False
    if text[0] != 0:
        return False
    number.value, number.decimals = value * unit_of(decimals), decimals
    return True


cdef inline int64_t unit_of(int decimals) noexcept:
    """Return one unit of the last of so many decimals, in millionths."""
    cdef int64_t unit = 1
    while decimals < DECIMALS:
        unit *= 10
        decimals += 1
    return unit


cdef inline wide rounded(wide value) noexcept:
    """Round half up to two decimals; a negative value, which no amount equals, stays as it is."""
    return rounded_to(value, CENT)


cdef inline wide rounded_to(wide value, wide step) noexcept:
    return value if value < 0 else (value + step // 2) / step * step


cdef inline int64_t factor_of(Number* number) noexcept:
    """Return a factor, 1 for an absent one and for 0; -1 for one that is too large."""
    if number.decimals < 0 or number.value == 0:
        return UNIT
    return number.value if number.value < <int64_t>LARGEST_FACTOR * UNIT else -1


cdef inline Item* above(Item* item, int steps) noexcept nogil:
    """Return the element so many steps around one."""
    while steps > 0:
        item = item.parent
        steps -= 1
    return item


cdef inline bint has_values(Form* form, Item* item) noexcept:
    """Whether an element has the values that the form states."""
    cdef int place
    cdef Where* where
    cdef Number* number
    for place in range(form.where_count):
        where = &form.where[place]
        if where.number >= 0:
            number = &item.numbers[where.number]
            if number.decimals < 0 or number.value != where.value:
                return False
        elif item.texts[where.text] == NULL or strcmp(item.texts[where.text], where.equals) != 0:
            return False
    return True


cdef inline bint in_group(Form* form, Item* one, Item* other) noexcept:
    cdef int number, own, of_part
    for number in range(form.by_count):
        own, of_part = form.by[number], form.other_by[number]
        if own < 0:
            if one.texts[-1 - own] == NULL or other.texts[-1 - of_part] == NULL:
                return False
            if strcmp(one.texts[-1 - own], other.texts[-1 - of_part]) != 0:
                return False
        elif one.numbers[own].value != other.numbers[of_part].value or (
                (one.numbers[own].decimals < 0) != (other.numbers[of_part].decimals < 0)):
            return False
    return True
