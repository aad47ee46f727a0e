# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""Reading back of stamped documents that are plain XML, the form of nearly all of them.

Plain XML has elements, attributes and text only: ASCII names, the five predefined entities, no comment, instruction,
CDATA section or DTD, at most one attribute with a prefix in an element. The function accepts a document only if every
parser must accept it and read it in the same way; for any other one, well-formed or not, the caller uses expat.
The reader shares no code with libxml2.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE

from timbra._native.plain_xml cimport (
    BLANK, IN_TEXT, IN_URI, NAME_START, Name, Place, Span, classes, equals, equals_text, fill_classes, name_at, past_reference,
    skip, starts_with, value_at,
)

cdef enum:
    DEEPEST = 128
    MOST_ATTRIBUTES = 64
    MOST_BINDINGS = 64

cdef const char** DECLARATIONS = [
    b'<?xml version="1.0" encoding="utf-8"?>', b'<?xml version="1.0" encoding="UTF-8"?>',
    b"<?xml version='1.0' encoding='utf-8'?>", b"<?xml version='1.0' encoding='UTF-8'?>",
]
cdef const char** SCHEMES = [b"http://", b"https://", b"urn:"]
cdef int* SCHEME_LENGTHS = [7, 8, 4]
cdef const char* XML_NAMESPACE = b"http://www.w3.org/XML/"
cdef const char* XMLNS_NAMESPACE = b"http://www.w3.org/2000/xmlns"
cdef const char* TFD = b"http://www.sat.gob.mx/TimbreFiscalDigital"

cdef struct Binding:
    Span prefix
    Span uri

cdef struct Attribute:
    Name name
    Span value

fill_classes()


cdef Place past_declaration(Place at) noexcept:
    """Return the place after a declaration of UTF-8, in one of the forms that programs write; NULL without one."""
    cdef int number
    for number in range(4):
        if starts_with(at, DECLARATIONS[number]):
            return at + 38
    return NULL


cdef bint is_plain_address(Span uri) noexcept:
    """Whether a value is a plain URI: an address without port, user, fragment and escapes, or a short URN."""
    cdef Place at
    cdef int number
    for number in range(3):
        if starts_with(uri.at, SCHEMES[number]):
            at = uri.at + SCHEME_LENGTHS[number]
            return bool(classes[at[0]] & NAME_START) and skip(at, IN_URI) == uri.at + uri.length
    return False


cdef class _Reader:
    """One reading of a document.

    Attributes:
        namespace, local, seal, uuid: what the document must contain.
    """

    cdef Span namespace, local, seal, uuid
    cdef Span open_names[DEEPEST]
    cdef int open_bindings[DEEPEST]
    cdef Binding bindings[MOST_BINDINGS]
    cdef Attribute attributes[MOST_ATTRIBUTES]
    cdef int depth, bound, count, stamps
    cdef bint in_complement, has_root

    cdef bint accepts(self, Place at, Place end) noexcept:
        """Whether the document is plain and has the values, with one stamp."""
        at = past_declaration(at)
        if at == NULL:
            return False
        at = skip(at, BLANK)
        while at != NULL and (self.depth or not self.has_root):
            at = self.markup(at) if at[0] == c"<" else self.text(at)
        return at != NULL and skip(at, BLANK) == end and self.stamps == 1

    cdef Place text(self, Place at) noexcept:
        if not self.depth:
            return NULL
        at = skip(at, IN_TEXT)
        if at[0] == c"&":
            return past_reference(at)
        return at if at[0] == c"<" else NULL

    cdef Place markup(self, Place at) noexcept:
        return self.end_tag(at + 2) if at[1] == c"/" else self.start_tag(at + 1)

    cdef Place end_tag(self, Place at) noexcept:
        cdef Name name
        at = name_at(at, &name)
        if at == NULL or not self.depth or not equals(name.whole, self.open_names[self.depth - 1]):
            return NULL
        at = skip(at, BLANK)
        if at[0] != c">":
            return NULL
        self.close()
        return at + 1

    cdef void close(self) noexcept:
        self.depth -= 1
        self.bound = self.open_bindings[self.depth]
        if self.depth == 1:
            self.in_complement = False

    cdef Place start_tag(self, Place at) noexcept:
        cdef Name name
        cdef bint is_empty
        if self.depth == DEEPEST:
            return NULL
        self.open_bindings[self.depth] = self.bound
        at = name_at(at, &name)
        if at != NULL:
            at = self.read_attributes(at)
        if at == NULL:
            return NULL
        is_empty = at[0] == c"/"
        at += is_empty
        if at[0] != c">" or not self.open_element(name):
            return NULL
        if is_empty:
            self.close()
        return at + 1

    cdef Place read_attributes(self, Place at) noexcept:
        """Read the attributes and bind the namespaces; return the place of the end of the tag."""
        cdef Place after
        cdef Attribute* attribute
        cdef int number, prefixed = 0
        self.count = 0
        while True:
            after = skip(at, BLANK)
            if after[0] == c">" or after[0] == c"/":
                break
            if after == at or self.count == MOST_ATTRIBUTES:
                return NULL
            attribute = &self.attributes[self.count]
            at = name_at(after, &attribute.name)
            if at == NULL or at[0] != c"=":
                return NULL
            at = value_at(at + 1, &attribute.value)
            if at == NULL or self.is_repeated(attribute.name.whole):
                return NULL
            self.count += 1
            if equals_text(attribute.name.prefix, b"xmlns"):
                if not self.bind(attribute.name.local, attribute.value):
                    return NULL
            elif attribute.name.prefix.length:
                prefixed += 1
            elif equals_text(attribute.name.local, b"xmlns") and not self.bind(attribute.name.prefix, attribute.value):
                return NULL
        if prefixed > 1:
            return NULL
        for number in range(self.count):
            if prefixed and not self.is_declared(self.attributes[number].name.prefix):
                return NULL
        return after

    cdef bint is_repeated(self, Span name) noexcept:
        cdef int number
        for number in range(self.count):
            if equals(self.attributes[number].name.whole, name):
                return True
        return False

    cdef bint is_declared(self, Span prefix) noexcept:
        return not prefix.length or equals_text(prefix, b"xmlns") or self.binding(prefix) != NULL

    cdef bint bind(self, Span prefix, Span uri) noexcept:
        """Bind a prefix, empty for the default namespace, to a plain address; return whether that is possible."""
        if self.bound == MOST_BINDINGS or not uri.length or equals_text(prefix, b"xml") or equals_text(prefix, b"xmlns"):
            return False
        if not is_plain_address(uri):
            return False
        if starts_with(uri.at, XML_NAMESPACE) or starts_with(uri.at, XMLNS_NAMESPACE):
            return False
        self.bindings[self.bound] = Binding(prefix, uri)
        self.bound += 1
        return True

    cdef Binding* binding(self, Span prefix) noexcept:
        """Return the binding of a prefix in force, NULL without one."""
        cdef int number = self.bound
        while number:
            number -= 1
            if equals(self.bindings[number].prefix, prefix):
                return &self.bindings[number]
        return NULL

    cdef bint open_element(self, Name name) noexcept:
        """Open an element whose attributes are read; return False for other values than the expected ones."""
        cdef Binding* bound = self.binding(name.prefix)
        if bound == NULL and name.prefix.length:
            return False
        if self.depth == 0:
            self.has_root = True
            if bound == NULL or not equals(bound.uri, self.namespace) or not equals(name.local, self.local) \
                    or not self.has_value(b"Sello", self.seal):
                return False
        elif self.depth == 1:
            self.in_complement = bound != NULL and equals(bound.uri, self.namespace) and \
                equals_text(name.local, b"Complemento")
        elif self.depth == 2 and self.in_complement and equals_text(name.local, b"TimbreFiscalDigital") \
                and bound != NULL and equals_text(bound.uri, TFD):
            self.stamps += 1
            if not self.has_value(b"UUID", self.uuid) or not self.has_value(b"SelloCFD", self.seal):
                return False
        self.open_names[self.depth] = name.whole
        self.depth += 1
        return True

    cdef bint has_value(self, const char* name, Span value) noexcept:
        cdef int number
        for number in range(self.count):
            if equals_text(self.attributes[number].name.whole, name):
                return equals(self.attributes[number].value, value)
        return False


cdef Span span_of(bytes text) noexcept:
    return Span(<Place>PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))


def is_plainly_stamped(bytes xml not None, bytes namespace not None, bytes local not None, bytes seal not None,
                       bytes uuid not None):
    """Whether the bytes are a plain document with these values and one stamp; False says nothing about them."""
    cdef _Reader reader
    cdef Place begin = <Place>PyBytes_AS_STRING(xml)
    if b"\xef" in xml and b"\xef\xbf" in xml:  # the search for one byte takes a twentieth of that for two
        return False
    try:
        xml.decode("utf-8")
    except UnicodeDecodeError:
        return False
    reader = _Reader.__new__(_Reader)
    reader.namespace, reader.local = span_of(namespace), span_of(local)
    reader.seal, reader.uuid = span_of(seal), span_of(uuid)
    return bool(reader.accepts(begin, begin + PyBytes_GET_SIZE(xml)))
