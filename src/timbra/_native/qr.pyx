"""QR codes of level M in byte mode, as matrix and as PNG.

Without this module `timbra.cfdi.qr` draws the same images from precomputed tables.

Source: ISO/IEC 18004 for the codewords, PNG (third edition) for the file.
"""

from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from timbra._native.qr_layout cimport NEWEST, Layout, draw_layout

import struct
import zlib

cdef enum:
    MASKS = 8
    MAX_CORRECTION = 30  # codewords of one block
    MAX_CODEWORDS = 3706
    MAX_SIDE = 177
    MASK = 2
    SCALE = 4
    QUIET_ZONE = 4

cdef int* CORRECTION = [
    0, 10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28, 28, 28, 28, 28,
    28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
]  # codewords of error correction of a block, by version
cdef int* BLOCKS = [
    0, 1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25, 26, 28, 29, 31,
    33, 35, 37, 38, 40, 43, 45, 47, 49,
]  # by version

cdef struct Generator:
    unsigned char products[256][32]  # of each value with the coefficients of the generator polynomial

cdef Layout LAYOUTS[41][8]
cdef Generator* GENERATORS[31]
memset(LAYOUTS, 0, sizeof(LAYOUTS))
memset(GENERATORS, 0, sizeof(GENERATORS))


def qr_modules(bytes data not None, int version, int mask=MASK):
    """Return the modules of a QR code, row after row, 1 for dark.

    Args:
        data: The content.
        version: 1 to 40.
        mask: 0 to 7.

    Raises:
        ValueError: The content is too long for the version, or version or mask do not exist.
    """
    cdef unsigned char modules[MAX_SIDE * MAX_SIDE]
    cdef Layout* layout = _layout(version, mask)
    _draw(layout, version, data, modules)
    return (<char*> modules)[:layout.side * layout.side]


def qr_png(bytes data not None, int version):
    """Return the PNG file of a QR code: one bit per pixel, 4 pixels per module, with the quiet zone.

    Args:
        data: The content.
        version: 1 to 40.

    Raises:
        ValueError: The content is too long for the version, or the version does not exist.
    """
    cdef unsigned char modules[MAX_SIDE * MAX_SIDE]
    cdef unsigned char line[MAX_SIDE + 2 * QUIET_ZONE + 1]
    cdef Layout* layout = _layout(version, MASK)
    cdef int side = layout.side
    cdef int row_bytes = (side + 2 * QUIET_ZONE + 1) // 2
    cdef int row, index
    cdef bytes pixels = bytes(SCALE * (side + 2 * QUIET_ZONE) * (row_bytes + 1))
    cdef unsigned char* target = pixels
    _draw(layout, version, data, modules)
    memset(line, 0, sizeof(line))
    line[side + 2 * QUIET_ZONE] = 1  # the half byte after the image, as in the images from tables
    for row in range(-QUIET_ZONE, side + QUIET_ZONE):
        if row == -QUIET_ZONE or row == side:
            memset(target + 1, 0xFF, row_bytes)
        if 0 <= row < side:
            memcpy(line + QUIET_ZONE, modules + row * side, side)
            for index in range(row_bytes):
                target[index + 1] = (0 if line[2 * index] else 0xF0) | (0 if line[2 * index + 1] else 0x0F)
        elif row != -QUIET_ZONE and row != side:
            target[0] = 2  # the row above again
        for index in range(1, SCALE):
            target[index * (row_bytes + 1)] = 2
        target += SCALE * (row_bytes + 1)
    return _file(SCALE * (side + 2 * QUIET_ZONE), zlib.compress(pixels, 1))


cdef bytes _file(int pixels, bytes content):
    """Return a PNG file of a square image."""
    header = struct.pack(">IIBBBBB", pixels, pixels, 1, 0, 0, 0, 0)
    chunks = [
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in ((b"IHDR", header), (b"IDAT", content), (b"IEND", b""))
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


cdef Layout* _layout(int version, int mask) except NULL:
    """Return the layout of a version; it is drawn at first use."""
    cdef Layout* layout
    if not (1 <= version <= NEWEST and 0 <= mask < MASKS):
        raise ValueError(f"there is no version {version} with mask {mask}")
    layout = &LAYOUTS[version][mask]
    if layout.codewords == 0 and not draw_layout(layout, version, mask):
        raise MemoryError
    return layout


cdef Generator* _generator(int degree) except NULL:
    """Return the products of the generator polynomial of a degree; they are computed at first use."""
    cdef unsigned char coefficients[MAX_CORRECTION]
    cdef unsigned char root = 1
    cdef int index, step
    cdef Generator* generator = GENERATORS[degree]
    if generator != NULL:
        return generator
    generator = <Generator*> calloc(1, sizeof(Generator))
    if generator == NULL:
        raise MemoryError
    memset(coefficients, 0, sizeof(coefficients))
    coefficients[degree - 1] = 1
    for step in range(degree):
        for index in range(degree):
            coefficients[index] = _product(coefficients[index], root)
            if index + 1 < degree:
                coefficients[index] ^= coefficients[index + 1]
        root = _product(root, 2)
    for step in range(256):
        for index in range(degree):
            generator.products[step][index] = _product(step, coefficients[index])
    GENERATORS[degree] = generator
    return generator


cdef unsigned char _product(int left, int right) noexcept:
    """Multiply in GF(256) modulo x^8 + x^4 + x^3 + x^2 + 1."""
    cdef int result = 0
    while right:
        if right & 1:
            result ^= left
        left = left << 1 ^ (0x11D if left & 0x80 else 0)
        right >>= 1
    return result


cdef int _draw(Layout* layout, int version, bytes data, unsigned char* modules) except -1:
    """Write the modules of a QR code with this content."""
    cdef unsigned char codewords[MAX_CODEWORDS]
    cdef unsigned char spread[MAX_CODEWORDS]
    cdef int blocks = BLOCKS[version], correction = CORRECTION[version]
    cdef int count = layout.codewords - blocks * correction
    cdef int index, place, value
    _write_data(data, 1 if version < 10 else 2, codewords, count)
    _spread(codewords, layout.codewords, blocks, correction, _generator(correction), spread)
    memcpy(modules, layout.modules, layout.side * layout.side)
    for index in range(layout.codewords):
        value = spread[index]
        for place in range(8):
            modules[layout.order[8 * index + place]] ^= value >> (7 - place) & 1
    return 0


cdef int _write_data(bytes data, int length_bytes, unsigned char* codewords, int count) except -1:
    """Write mode, length, content, terminator and padding."""
    cdef const unsigned char* source = data
    cdef Py_ssize_t length = len(data)
    cdef Py_ssize_t index
    if length > count - length_bytes - 1:
        raise ValueError(f"{length} bytes are too many for this version")
    codewords[0] = 0x40
    if length_bytes == 2:
        codewords[0] |= length >> 12
        codewords[1] = length >> 4 & 0xFF
    else:
        codewords[0] |= length >> 4
    codewords[length_bytes] = (length & 0x0F) << 4
    for index in range(length):
        codewords[length_bytes + index] |= source[index] >> 4
        codewords[length_bytes + index + 1] = (source[index] & 0x0F) << 4
    for index in range(length_bytes + length + 1, count):
        codewords[index] = 0x11 if (index - length_bytes - length) % 2 == 0 else 0xEC
    return 0


cdef void _spread(
    const unsigned char* codewords, int total, int blocks, int correction, Generator* generator, unsigned char* spread
) noexcept:
    """Append the error correction to each block, and interleave the blocks."""
    cdef unsigned char remainder[32]
    cdef int short_length = total // blocks - correction
    cdef int short_blocks = blocks - total % blocks
    cdef int block, index, length, place
    cdef int start = 0, data_count = total - blocks * correction
    cdef unsigned char factor
    for block in range(blocks):
        length = short_length + (block >= short_blocks)
        memset(remainder, 0, sizeof(remainder))
        for index in range(length):
            place = index * blocks + block
            if index == short_length:
                place -= short_blocks
            spread[place] = codewords[start + index]
            factor = codewords[start + index] ^ remainder[0]
            for place in range(31):
                remainder[place] = remainder[place + 1] ^ generator.products[factor][place]
        for index in range(correction):
            spread[data_count + index * blocks + block] = remainder[index]
        start += length
