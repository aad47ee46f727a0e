# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Values of attributes and the forms that accept them, see valid_forms.pyx. Every text ends with NUL."""

from libc.stdint cimport int16_t, int64_t
from libc.string cimport memcmp

cdef enum:
    OTHER = 128
    MOST_DIGITS = 18
    MOST_COLLAPSED = 2048

cdef enum ValueKind:
    TEXT
    DECIMAL
    INTEGER
    DATE
    DATE_TIME

cdef struct Matcher:
    const unsigned char* symbols  # of a run: 1 for its symbols; of an automaton: the class of each symbol
    Py_ssize_t least, most
    Py_ssize_t width  # 0 for a run
    const int16_t* table
    const unsigned char* accepting

cdef struct Choice:
    const char* text
    Py_ssize_t length

cdef struct Bound:
    bint exists
    int64_t units, fraction

cdef struct Values:
    int kind
    bint collapses
    Py_ssize_t least, most, digits, decimals
    Bound lowest, highest
    bint has_choices
    Choice* choices
    Py_ssize_t choice_count
    Matcher* matchers
    Py_ssize_t matcher_count


cdef inline bint is_blank(unsigned char byte) noexcept nogil:
    return byte == c" " or byte == c"\t" or byte == c"\r" or byte == c"\n"


cdef inline bint is_digit(unsigned char byte) noexcept nogil:
    return c"0" <= byte <= c"9"


cdef inline bint accepts(Values* values, const unsigned char* text) noexcept nogil:
    """Whether the text surely belongs to the type."""
    cdef unsigned char collapsed[MOST_COLLAPSED]
    cdef Py_ssize_t length = 0, characters = 0
    cdef unsigned char byte, before = c" "
    while True:
        byte = text[length]
        if byte == 0:
            break
        if values.collapses and is_blank(byte) and (byte != c" " or before == c" "):
            return values.kind == TEXT and collapse(text, collapsed) and accepts_plain(values, collapsed)
        characters += (byte & 0xC0) != 0x80
        before = byte
        length += 1
    if values.collapses and length and before == c" ":
        return values.kind == TEXT and collapse(text, collapsed) and accepts_plain(values, collapsed)
    return accepts_counted(values, text, length, characters)


cdef inline bint collapse(const unsigned char* text, unsigned char* collapsed) noexcept nogil:
    """Copy a text with its white space collapsed; False for one that is too long."""
    cdef Py_ssize_t length = 0
    while text[0]:
        if not is_blank(text[0]):
            if length + 2 >= MOST_COLLAPSED:
                return False
            collapsed[length] = text[0]
            length += 1
        elif length and collapsed[length - 1] != c" ":
            collapsed[length] = c" "
            length += 1
        text += 1
    if length and collapsed[length - 1] == c" ":
        length -= 1
    collapsed[length] = 0
    return True


cdef inline bint accepts_plain(Values* values, const unsigned char* text) noexcept nogil:
    cdef Py_ssize_t length = 0, characters = 0
    while text[length]:
        characters += (text[length] & 0xC0) != 0x80
        length += 1
    return accepts_counted(values, text, length, characters)


cdef inline bint accepts_counted(
    Values* values, const unsigned char* text, Py_ssize_t length, Py_ssize_t characters
) noexcept nogil:
    cdef Py_ssize_t number
    if characters < values.least or 0 <= values.most < characters:
        return False
    if values.kind == DECIMAL or values.kind == INTEGER:
        if not is_number(values, text, length):
            return False
    elif values.kind == DATE:
        if length != 10 or not is_date(text):
            return False
    elif values.kind == DATE_TIME and (length != 19 or not is_date(text) or not is_time(text + 10)):
        return False
    if values.has_choices and not is_choice(values, text, length):
        return False
    for number in range(values.matcher_count):
        if not matches(&values.matchers[number], text, characters):
            return False
    return True


cdef inline bint is_choice(Values* values, const unsigned char* text, Py_ssize_t length) noexcept nogil:
    cdef Py_ssize_t number
    for number in range(values.choice_count):
        if values.choices[number].length == length and memcmp(values.choices[number].text, text, length) == 0:
            return True
    return False


cdef inline bint matches(Matcher* matcher, const unsigned char* text, Py_ssize_t characters) noexcept nogil:
    cdef int state = 0
    cdef unsigned char byte
    if matcher.width == 0 and (characters < matcher.least or characters > matcher.most):
        return False
    while True:
        byte = text[0]
        if byte == 0:
            break
        text += 1
        if byte >= 0x80:
            if byte < 0xC0:
                continue
            byte = OTHER
        if matcher.width == 0:
            if not matcher.symbols[byte]:
                return False
        else:
            state = matcher.table[state * matcher.width + matcher.symbols[byte]]
            if state < 0:
                return False
    return matcher.width == 0 or matcher.accepting[state]


cdef inline bint is_number(Values* values, const unsigned char* text, Py_ssize_t length) noexcept nogil:
    """Whether the text is a number without sign, of few digits, within the bounds."""
    cdef Py_ssize_t units = 0, decimals = 0, place
    cdef int64_t whole = 0, fraction = 0
    while units < length and is_digit(text[units]):
        if units == MOST_DIGITS:
            return False
        whole = whole * 10 + (text[units] - c"0")
        units += 1
    if units == 0:
        return False
    if units < length:
        if values.kind == INTEGER or text[units] != c".":
            return False
        for place in range(units + 1, length):
            if not is_digit(text[place]) or decimals == MOST_DIGITS:
                return False
            fraction = fraction * 10 + (text[place] - c"0")
            decimals += 1
        if decimals == 0:
            return False
    if 0 <= values.digits < units + decimals or 0 <= values.decimals < decimals:
        return False
    if values.lowest.exists or values.highest.exists:
        for place in range(decimals, MOST_DIGITS):
            fraction *= 10
        if values.lowest.exists and is_less(whole, fraction, values.lowest.units, values.lowest.fraction):
            return False
        if values.highest.exists and is_less(values.highest.units, values.highest.fraction, whole, fraction):
            return False
    return True


cdef inline bint is_less(int64_t whole, int64_t fraction, int64_t units, int64_t others) noexcept nogil:
    return whole < units or (whole == units and fraction < others)


cdef inline int pair(const unsigned char* text) noexcept nogil:
    """Return the number of two digits, -1 for other characters."""
    if not is_digit(text[0]) or not is_digit(text[1]):
        return -1
    return (text[0] - c"0") * 10 + (text[1] - c"0")


cdef inline bint is_date(const unsigned char* text) noexcept nogil:
    """Whether ten characters are a date from the year 1000 on."""
    cdef int century = pair(text), year = pair(text + 2), month = pair(text + 5), day = pair(text + 8)
    cdef int last = 31
    if century < 10 or year < 0 or text[4] != c"-" or text[7] != c"-" or not 1 <= month <= 12:
        return False
    if month == 4 or month == 6 or month == 9 or month == 11:
        last = 30
    elif month == 2:
        last = 29 if (year % 4 == 0 if year else century % 4 == 0) else 28
    return 1 <= day <= last


cdef inline bint is_time(const unsigned char* text) noexcept nogil:
    """Whether nine characters are `T` and a time."""
    cdef int hour = pair(text + 1), minute = pair(text + 4), second = pair(text + 7)
    return (text[0] == c"T" and text[3] == c":" and text[6] == c":"
            and 0 <= hour <= 23 and 0 <= minute <= 59 and 0 <= second <= 59)
