# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""JSON objects as XML elements, written as UTF-8 without a tree.

A plan follows the shape of a schema (`timbra.cfdi.from_json.schema_shapes`). It writes the usual members only: for an
unknown or repeated member, an Addenda, a value of another type or a character that XML does not allow it writes nothing, and the
caller converts the whole document by lxml, with the errors of that conversion.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.dict cimport PyDict_GetItem, PyDict_Next
from cpython.object cimport PyObject
from libc.string cimport memchr

from timbra._native.xml_buffer cimport XmlBuffer

cdef enum:
    DEEPEST = 100
    MOST_ATTRIBUTES = 64
    MOST_CHILDREN = 64
    MOST_MEMBERS = 512  # as in schema_shapes

MAX_DEPTH = DEEPEST

cdef enum Kind:
    UNKNOWN
    NAMESPACE
    TEXT
    ATTRIBUTE
    CHILD


def restore_integers(bytes text not None, content):
    """Replace the integers of parsed JSON by their text.

    Args:
        text: JSON, which a parser has accepted.
        content: what the parser returned: dictionaries, lists and other values. It is changed.

    Returns:
        Whether the content is that of the text. It may not be when a key is repeated in an object, or a number is -0.

    Raises:
        ValueError: an integer has more digits than Python writes.
    """
    return keys_in(text) == restored_members(content, b"-0" in text)


cdef Py_ssize_t keys_in(bytes text) noexcept:
    """Return the number of colons after a quote: one for each key, and rarely more, for a string such as ":a"."""
    cdef const char* start = PyBytes_AS_STRING(text)
    cdef const char* end = start + PyBytes_GET_SIZE(text)
    cdef const char* at = <const char*>memchr(start, c":", end - start)
    cdef const char* before
    cdef Py_ssize_t count = 0
    while at != NULL:
        before = at - 1
        while before > start and before[0] in (c" ", c"\t", c"\r", c"\n"):
            before -= 1
        count += before >= start and before[0] == c'"'
        at += 1
        at = <const char*>memchr(at, c":", end - at)
    return count


cdef Py_ssize_t restored_members(object content, bint has_minus) except -2:
    """Return the number of members of all objects; -1 for an integer whose text is not known.

    Args:
        content: its integers become texts.
        has_minus: whether the text has a zero after a minus.
    """
    cdef list pending = [content]
    cdef PyObject* key
    cdef PyObject* value
    cdef Py_ssize_t count = 0, place
    while pending:
        each = pending.pop()
        if type(each) is dict:
            count += len(<dict>each)
            place = 0
            while PyDict_Next(<dict>each, &place, &key, &value):
                if type(<object>value) is str:
                    continue
                if type(<object>value) is dict or type(<object>value) is list:
                    pending.append(<object>value)
                elif type(<object>value) is int:
                    if has_minus and not <object>value:
                        return -1
                    # Values may be replaced while a dictionary is read, keys may not.
                    (<dict>each)[<object>key] = str(<object>value)
        elif type(each) is list:
            for place in range(len(<list>each)):
                entry = (<list>each)[place]
                if type(entry) is dict or type(entry) is list:
                    pending.append(entry)
                elif type(entry) is int:
                    if has_minus and not entry:
                        return -1
                    (<list>each)[place] = str(entry)
    return count


cdef class _Member:
    """A key of the JSON objects of an element.

    Attributes:
        position: of the attribute among those of the element, or of the child among its children.
        folded: the local name, case-folded.
        is_flag: whether the key decides the presence of another member.
        flag_of: case-folded name of that member.
        is_marked: whether the key has the mark of attributes.
    """

    cdef Kind kind
    cdef int position
    cdef bint is_flag, is_marked
    cdef object folded, flag_of
    cdef ElementPlan child


cdef class ElementPlan:
    """Writes JSON objects as one element of a schema.

    Args:
        shape: the `ElementShape`.
        prefix: prefix of the namespace, which the root element of the document declares.
        read_flag: returns the value of a flag; None for a value that is none.
    """

    cdef object shape, read_flag
    cdef str prefix
    cdef bytes start, end
    cdef list attributes
    cdef dict members, child_plans
    cdef bint is_open, has_text, is_repeated, has_flags
    cdef ElementPlan item_plan

    def __init__(self, shape, str prefix not None, read_flag):
        self.shape, self.prefix, self.read_flag = shape, prefix, read_flag
        name = f"{prefix}:{shape.name}".encode()
        self.start, self.end = b"<" + name, b"</" + name + b">"
        self.attributes = [f' {attribute}="'.encode() for attribute in shape.attributes]
        self.members, self.child_plans = {}, {}
        self.is_open, self.has_text, self.is_repeated = shape.open, shape.text, shape.repeated
        self.item_plan = None

    def write_children(self, dict children not None, complement):
        """Return the children of the element as UTF-8.

        Args:
            children: pairs by key, each with the value at its second place.
            complement: returns the plan of a complement by its key and members; None for an unknown one.

        Returns:
            None when lxml has to convert the document.
        """
        cdef _Writer writer = _Writer.__new__(_Writer)
        writer.complement = complement
        if len(children) > MOST_CHILDREN:
            return None
        if not writer.write_children(self, {key: pair[1] for key, pair in children.items()}):
            return None
        return PyBytes_FromStringAndSize(writer.out.data, writer.out.size)

    cdef _Member member(self, object key):
        cdef PyObject* known = PyDict_GetItem(self.members, key)
        if known != NULL:
            return <_Member>known
        made = self.make_member(key)
        if len(self.members) < MOST_MEMBERS:
            self.members[key] = made
        return made

    cdef _Member make_member(self, object key):
        cdef _Member made = _Member.__new__(_Member)
        declared = self.shape.member(key)
        made.folded, made.flag_of = declared.folded, declared.flag_of
        made.is_flag, made.is_marked = declared.flag_of is not None, key != declared.name
        self.has_flags |= made.is_flag
        made.kind = UNKNOWN
        if declared.child is not None and declared.child.name != "Addenda":
            made.child = self.child_plan(declared.child)
            made.position = self.shape.rank(declared.child.name)
        if declared.is_namespace:
            made.kind = NAMESPACE
        elif key == "#text":
            made.kind = TEXT
        elif declared.attribute is not None and len(self.attributes) <= MOST_ATTRIBUTES:
            # An element that has an attribute and a child of one name is left to lxml.
            if declared.child is None:
                made.kind, made.position = ATTRIBUTE, self.shape.attributes.index(declared.attribute)
        elif declared.attribute is None and (declared.child is not None or self.is_open):
            made.kind = CHILD
        return made

    cdef ElementPlan child_plan(self, object shape):
        """Return the plan of a child, one for all keys that name it."""
        if shape.name not in self.child_plans:
            self.child_plans[shape.name] = ElementPlan(shape, self.prefix, self.read_flag)
        return self.child_plans[shape.name]

    cdef ElementPlan item(self):
        """Return the plan of the repeated child of a container; None for other elements."""
        if self.item_plan is None:
            shape = self.shape.item()
            if shape is not None:
                self.item_plan = self.child_plan(shape)
        return self.item_plan


cdef class _Writer:
    """Writes the elements of one document; every method returns whether the content is usual."""

    cdef XmlBuffer out
    cdef object complement
    cdef int depth

    def __cinit__(self):
        self.out = XmlBuffer()

    cdef bint write(self, ElementPlan plan, object content) except -1:
        """Write one element."""
        cdef bint written
        if self.depth == DEEPEST:
            return False
        self.depth += 1
        if type(content) is dict:
            written = self.write_object(plan, <dict>content)
        else:
            written = type(content) is str and plan.has_text and self.write_text(plan, content)
        self.depth -= 1
        return written

    cdef bint write_text(self, ElementPlan plan, object text) except -1:
        self.out.add(plan.start)
        self.out.add(b">")
        return len(text) > 0 and self.out.add_text(text) and self.out.add(plan.end)

    cdef bint write_object(self, ElementPlan plan, dict content) except -1:
        cdef PyObject* values[MOST_ATTRIBUTES]
        cdef PyObject* text = NULL
        cdef dict children = None
        cdef bint reads_flags = plan.has_flags
        cdef set excluded = self.excluded_by(plan, content) if reads_flags else None
        cdef PyObject* key
        cdef PyObject* value
        cdef _Member member
        cdef Py_ssize_t place = 0
        cdef int number, count = len(plan.attributes)
        if count > MOST_ATTRIBUTES:
            return False
        for number in range(count):
            values[number] = NULL
        while PyDict_Next(content, &place, &key, &value):
            member = plan.member(<object>key)
            if member.is_flag and not reads_flags:  # the first one of the plan; nothing is written yet
                return self.write_object(plan, content)
            if <object>value is None or member.kind == NAMESPACE:
                continue
            if excluded is not None and member.folded in excluded:
                continue
            if member.is_flag and plan.read_flag(<object>value) is not None:
                continue
            if member.kind == TEXT and plan.has_text and type(<object>value) is str and len(<str>value):
                text = value
            elif member.kind == ATTRIBUTE and type(<object>value) is str and values[member.position] == NULL:
                values[member.position] = value
            elif member.kind == CHILD and not member.is_marked:
                if children is None:
                    children = {}
                children[<object>key] = <object>value
            else:
                return False
        self.out.add(plan.start)
        for number in range(count):
            if values[number] != NULL:
                self.out.add(<bytes>plan.attributes[number])
                if not self.out.add_value(<object>values[number]):
                    return False
        if text == NULL and children is None:
            return self.out.add(b"/>")
        return self.write_content(plan, text, children)

    cdef bint write_content(self, ElementPlan plan, PyObject* text, dict children) except -1:
        """Write text and children; without any, the element is empty."""
        cdef Py_ssize_t begin
        self.out.add(b">")
        begin = self.out.size
        if text != NULL and not self.out.add_text(<object>text):
            return False
        if children is not None and not self.write_children(plan, children):
            return False
        if self.out.size == begin:
            self.out.size -= 1
            return self.out.add(b"/>")
        return self.out.add(plan.end)

    cdef bint write_children(self, ElementPlan plan, dict children) except -1:
        """Write the children in the order of the schema."""
        cdef Py_ssize_t ends[MOST_CHILDREN]
        cdef int ranks[MOST_CHILDREN]
        cdef Py_ssize_t begin = self.out.size
        cdef _Member member
        cdef int count = 0
        cdef bint sorted_already = True
        if len(children) > MOST_CHILDREN:
            return False
        for key, value in children.items():
            member = plan.member(key)
            if plan.is_open:
                ranks[count] = 0
                if type(value) is not dict and type(value) is not list or not self.write_complements(key, value):
                    return False
            else:
                if member.child is None:
                    return False
                ranks[count] = member.position
                if not self.write_repeated(member.child, value):
                    return False
            ends[count] = self.out.size
            sorted_already = sorted_already and (count == 0 or ranks[count - 1] <= ranks[count])
            count += 1
        if not sorted_already:
            self.out.sort_parts(begin, ends, ranks, count)
        return True

    cdef bint write_repeated(self, ElementPlan plan, object value) except -1:
        """Write an element, the elements of an array, or a container whose children are an array."""
        cdef ElementPlan item
        if type(value) is not list:
            return self.write(plan, value)
        item = plan.item()
        if plan.is_repeated or (item is None and len(<list>value) == 1) or plan.is_open:
            for entry in <list>value:
                if not self.write(plan, entry):
                    return False
            return True
        if item is None:
            return False
        self.out.add(plan.start)
        if not value:
            return self.out.add(b"/>")
        self.out.add(b">")
        return self.write_repeated(item, value) and self.out.add(plan.end)

    cdef bint write_complements(self, str key, object value) except -1:
        """Write the complements of a member of an element that has complements."""
        if key.casefold() != "any":
            if type(value) is list:
                for body in <list>value:
                    if not self.write_complement(key, body):
                        return False
                return True
            return self.write_complement(key, value)
        for entry in <list>value if type(value) is list else [value]:
            if type(entry) is not dict:
                return False
            for name, body in (<dict>entry).items():
                if not self.write_complement(name, body):
                    return False
        return True

    cdef bint write_complement(self, object key, object body) except -1:
        cdef ElementPlan plan
        if type(body) is not dict:
            return False
        plan = self.complement(key, body)
        return plan is not None and self.write(plan, body)

    cdef set excluded_by(self, ElementPlan plan, dict content):
        """Return the case-folded names of the members that a false flag excludes; None without such a flag."""
        cdef set excluded = None
        cdef PyObject* key
        cdef PyObject* value
        cdef _Member member
        cdef Py_ssize_t place = 0
        while PyDict_Next(content, &place, &key, &value):
            member = plan.member(<object>key)
            if member.is_flag and plan.read_flag(<object>value) is False:
                excluded = set() if excluded is None else excluded
                excluded.add(member.flag_of)
        return excluded
