"""The constant modules of a QR code of level M, and the places of its data.

Source: ISO/IEC 18004.
"""

from libc.stdlib cimport abs, calloc, free

cdef enum:
    NEWEST = 40
    LEVEL_M = 0

cdef struct Layout:
    int side
    int codewords  # data and correction
    unsigned char* modules  # 1 is dark; where data belong, what the mask inverts
    int* order  # index of the module of each bit of the codewords


cdef inline bint _is_masked(int mask, int row, int column) noexcept:
    """Whether a mask inverts the module."""
    if mask == 0:
        return (row + column) % 2 == 0
    if mask == 1:
        return row % 2 == 0
    if mask == 2:
        return column % 3 == 0
    if mask == 3:
        return (row + column) % 3 == 0
    if mask == 4:
        return (row // 2 + column // 3) % 2 == 0
    if mask == 5:
        return row * column % 2 + row * column % 3 == 0
    if mask == 6:
        return (row * column % 2 + row * column % 3) % 2 == 0
    return ((row + column) % 2 + row * column % 3) % 2 == 0


cdef inline int _remainder(int value, int polynomial, int bits) noexcept:
    """Return a value followed by its remainder, of so many bits, in a code over GF(2)."""
    cdef int rest = value
    cdef int _
    for _ in range(bits):
        rest = (rest << 1) ^ ((rest >> (bits - 1)) * polynomial)
    return (value << bits) | (rest & ((1 << bits) - 1))


cdef inline int _put(Layout* layout, unsigned char* taken, int row, int column, bint dark) noexcept:
    layout.modules[row * layout.side + column] = dark
    taken[row * layout.side + column] = 1
    return 0


cdef inline int _draw_finder(Layout* layout, unsigned char* taken, int center_row, int center_column) noexcept:
    """Draw three squares inside each other, with the light border."""
    cdef int row, column, distance
    for row in range(center_row - 4, center_row + 5):
        for column in range(center_column - 4, center_column + 5):
            if 0 <= row < layout.side and 0 <= column < layout.side:
                distance = max(abs(row - center_row), abs(column - center_column))
                _put(layout, taken, row, column, distance != 2 and distance != 4)
    return 0


cdef inline int _alignment_center(int version, int index) noexcept:
    """Return the row and column of an alignment pattern, which are equally spaced from the end."""
    cdef int count = version // 7 + 2
    cdef int step = 26 if version == 32 else (4 * version + 4 + 2 * count - 3) // (2 * count - 2) * 2
    return 6 if index == 0 else 4 * version + 10 - (count - 1 - index) * step


cdef inline int _draw_alignment(Layout* layout, unsigned char* taken, int version) noexcept:
    cdef int count = version // 7 + 2 if version > 1 else 0
    cdef int last = count - 1
    cdef int vertical, horizontal, row, column
    for vertical in range(count):
        for horizontal in range(count):
            if (vertical == 0 and horizontal in (0, last)) or (vertical == last and horizontal == 0):
                continue  # a finder is there
            for row in range(-2, 3):
                for column in range(-2, 3):
                    _put(
                        layout, taken, _alignment_center(version, vertical) + row,
                        _alignment_center(version, horizontal) + column, max(abs(row), abs(column)) != 1,
                    )
    return 0


cdef inline int _draw_format(Layout* layout, unsigned char* taken, int mask) noexcept:
    """Draw level and mask twice, and the module that is always dark."""
    cdef int bits = _remainder(LEVEL_M << 3 | mask, 0x537, 10) ^ 0x5412
    cdef int index, place
    for index in range(15):
        place = index if index < 6 else index + 1 if index < 8 else layout.side - 15 + index
        _put(layout, taken, place, 8, bits >> index & 1)
        place = layout.side - 1 - index if index < 8 else 7 if index == 8 else 14 - index
        _put(layout, taken, 8, place, bits >> index & 1)
    _put(layout, taken, layout.side - 8, 8, True)
    return 0


cdef inline int _draw_version(Layout* layout, unsigned char* taken, int version) noexcept:
    cdef int bits = _remainder(version, 0x1F25, 12)
    cdef int index, far
    for index in range(18 if version >= 7 else 0):
        far = layout.side - 11 + index % 3
        _put(layout, taken, index // 3, far, bits >> index & 1)
        _put(layout, taken, far, index // 3, bits >> index & 1)
    return 0


cdef inline int _order_data(Layout* layout, unsigned char* taken, int mask) noexcept:
    """Number the other modules: pairs of columns from the right, upwards and downwards in turn."""
    cdef int right = layout.side - 1
    cdef int count = 0, step, row, column
    cdef bint upwards = True
    while right > 0:
        if right == 6:
            right -= 1
        for step in range(layout.side):
            row = layout.side - 1 - step if upwards else step
            for column in range(right, right - 2, -1):
                if not taken[row * layout.side + column]:
                    layout.order[count] = row * layout.side + column
                    layout.modules[row * layout.side + column] = _is_masked(mask, row, column)
                    count += 1
        upwards = not upwards
        right -= 2
    layout.codewords = count // 8
    return 0


cdef inline bint draw_layout(Layout* layout, int version, int mask) noexcept:
    """Fill a layout; False without memory."""
    cdef unsigned char* taken
    cdef int place
    layout.side = 17 + 4 * version
    taken = <unsigned char*> calloc(layout.side * layout.side, 1)
    layout.modules = <unsigned char*> calloc(layout.side * layout.side, 1)
    layout.order = <int*> calloc(layout.side * layout.side, sizeof(int))
    if taken == NULL or layout.modules == NULL or layout.order == NULL:
        free(taken)
        return False
    for place in range(layout.side):
        _put(layout, taken, 6, place, place % 2 == 0)
        _put(layout, taken, place, 6, place % 2 == 0)
    _draw_finder(layout, taken, 3, 3)
    _draw_finder(layout, taken, 3, layout.side - 4)
    _draw_finder(layout, taken, layout.side - 4, 3)
    _draw_alignment(layout, taken, version)
    _draw_format(layout, taken, mask)
    _draw_version(layout, taken, version)
    _order_data(layout, taken, mask)
    free(taken)
    return True
