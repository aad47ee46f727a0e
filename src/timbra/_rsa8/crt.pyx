# cython: language_level=3, boundscheck=False, wraparound=False
"""Private RSA-2048 operations, eight at once, by the library crypto_mb with the instructions AVX-512 IFMA.

`docs/native.md` describes the build; `timbra._rsa8` decides whether a process uses this module.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy

cdef extern from *:
    """
    #define BN_OPENSSL_DISABLE
    #include <string.h>
    #include <crypto_mb/cpu_features.h>
    #include <crypto_mb/rsa.h>

    static int timbra_has_avx512_ifma(void)
    {
        return (mbx_get_cpu_features() & MBX_AVX512_GENERAL_ISA) == MBX_AVX512_GENERAL_ISA
            && mbx_get_algo_info(MBX_ALGO_RSA_2K) == 8;
    }

    static void timbra_wipe(void *memory, size_t size)
    {
        memset(memory, 0, size);
        __asm__ __volatile__("" : : "r"(memory) : "memory"); /* the compiler must not leave the stores out */
    }
    """
    ctypedef struct mbx_RSA_Method:
        pass
    const mbx_RSA_Method *mbx_RSA2K_private_crt_Method() nogil
    const mbx_RSA_Method *mbx_RSA2K_pub65537_Method() nogil
    int mbx_RSA_Method_BufSize(const mbx_RSA_Method *method) nogil
    uint32_t mbx_rsa_private_crt_mb8(
        const uint8_t *const *messages, uint8_t *const *signatures,
        const unsigned long long *const *p, const unsigned long long *const *q,
        const unsigned long long *const *dp, const unsigned long long *const *dq,
        const unsigned long long *const *iq, int bits, const mbx_RSA_Method *method, uint8_t *buffer,
    ) nogil
    uint32_t mbx_rsa_public_mb8(
        const uint8_t *const *signatures, uint8_t *const *messages,
        const unsigned long long *const *n, int bits, const mbx_RSA_Method *method, uint8_t *buffer,
    ) nogil
    int timbra_has_avx512_ifma() nogil
    void timbra_wipe(void *memory, size_t size) nogil

cdef enum:
    LANES_ = 8
    BITS = 2048
    SIZE = 256
    WORDS = 32
    HALF = 16

LANES = LANES_
EXPONENT = 65537
# Asked once: in a virtual machine each CPUID instruction leaves the machine, 80 us a question instead of below 1.
cdef bint _HAS_AVX512_IFMA = timbra_has_avx512_ifma()


def is_supported() -> bool:
    """Whether the processor and the operating system have the instructions."""
    return _HAS_AVX512_IFMA


cdef class CrtKey:
    """A private key of 2,048 bits with the exponent 65,537; its memory is overwritten when the object ends."""

    cdef unsigned long long p[HALF]
    cdef unsigned long long q[HALF]
    cdef unsigned long long dp[HALF]
    cdef unsigned long long dq[HALF]
    cdef unsigned long long iq[HALF]
    cdef unsigned long long n[WORDS]

    def __cinit__(self, object n, object p, object q, object dp, object dq, object iq):
        if n.bit_length() != BITS or p.bit_length() != BITS // 2 or q.bit_length() != BITS // 2:
            raise ValueError("the key does not have 2,048 bits in two primes of equal length")
        _store(n, self.n, WORDS)
        _store(p, self.p, HALF)
        _store(q, self.q, HALF)
        _store(dp, self.dp, HALF)
        _store(dq, self.dq, HALF)
        _store(iq, self.iq, HALF)

    def __dealloc__(self):
        timbra_wipe(self.p, 5 * HALF * 8)
        timbra_wipe(self.n, WORDS * 8)


def sign_blocks(list keys not None, list blocks not None) -> list:
    """Apply the private operation to up to eight padded messages, and verify each result with its public key.

    Args:
        keys: One `CrtKey` for each message.
        blocks: The padded messages, 256 bytes each, smaller than the modulus of their keys.

    Returns:
        One signature of 256 bytes for each message; None where the verification failed.

    Raises:
        ValueError: The lists differ in length, are empty or longer than eight, or a message has another size.
        RuntimeError: The processor does not have the instructions.
    """
    cdef int count = <int>len(keys)
    cdef int lane, source
    cdef CrtKey key
    cdef bytes block
    cdef const uint8_t *messages[LANES_]
    cdef uint8_t *signatures[LANES_]
    cdef uint8_t *recovered[LANES_]
    cdef const unsigned long long *p[LANES_]
    cdef const unsigned long long *q[LANES_]
    cdef const unsigned long long *dp[LANES_]
    cdef const unsigned long long *dq[LANES_]
    cdef const unsigned long long *iq[LANES_]
    cdef const unsigned long long *n[LANES_]
    cdef uint32_t signed_status, verified_status
    if not 0 < count <= LANES_ or len(blocks) != count:
        raise ValueError("one to eight keys, and as many messages")
    if not _HAS_AVX512_IFMA:
        raise RuntimeError("the processor has no AVX-512 IFMA")
    cdef const mbx_RSA_Method *private = mbx_RSA2K_private_crt_Method()
    cdef const mbx_RSA_Method *public = mbx_RSA2K_pub65537_Method()
    cdef size_t scratch_size = max(mbx_RSA_Method_BufSize(private), mbx_RSA_Method_BufSize(public))
    cdef size_t size = scratch_size + 2 * LANES_ * SIZE
    cdef uint8_t *memory = <uint8_t *>malloc(size)
    if memory is NULL:
        raise MemoryError
    try:
        for lane in range(LANES_):
            source = lane if lane < count else 0  # unused lanes repeat the first one; their results are dropped
            key, block = keys[source], blocks[source]
            if key is None or block is None or PyBytes_GET_SIZE(block) != SIZE:
                raise ValueError("a message has 256 bytes")
            messages[lane] = <const uint8_t *>PyBytes_AS_STRING(block)
            signatures[lane] = memory + scratch_size + lane * SIZE
            recovered[lane] = memory + scratch_size + (LANES_ + lane) * SIZE
            n[lane], p[lane], q[lane] = key.n, key.p, key.q
            dp[lane], dq[lane], iq[lane] = key.dp, key.dq, key.iq
        with nogil:
            signed_status = mbx_rsa_private_crt_mb8(messages, signatures, p, q, dp, dq, iq, BITS, private, memory)
            verified_status = mbx_rsa_public_mb8(
                <const uint8_t *const *>signatures, recovered, n, BITS, public, memory
            )
        return [
            PyBytes_FromStringAndSize(<char *>signatures[lane], SIZE)
            if (signed_status >> 4 * lane) & 0xF == 0
            and (verified_status >> 4 * lane) & 0xF == 0
            and memcmp(messages[lane], recovered[lane], SIZE) == 0
            else None
            for lane in range(count)
        ]
    finally:
        timbra_wipe(memory, size)
        free(memory)


cdef int _store(object number, unsigned long long *words, int count) except -1:
    """Write a number as little-endian words of 64 bits."""
    cdef bytes data = number.to_bytes(count * 8, "little")
    memcpy(words, PyBytes_AS_STRING(data), count * 8)
    return 0
