/* Symbols of OpenSSL that functions of crypto_mb refer to which Timbra never calls (those with BIGNUM arguments). The
   linker wants them; they are hidden in this module, so that OpenSSL's own are not replaced. */

#include <stdlib.h>

#define NEVER_CALLED(name)                                                                                             \
    __attribute__((visibility("hidden"))) void name(void);                                                             \
    void name(void) { abort(); }

NEVER_CALLED(BN_bin2bn)
NEVER_CALLED(BN_bn2lebinpad)
NEVER_CALLED(BN_is_word)
NEVER_CALLED(BN_num_bits)
NEVER_CALLED(ECDSA_SIG_get0)
