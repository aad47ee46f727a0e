/* A library for LD_PRELOAD in which one call of libc fails: an allocation, or one for a regular file.

   fail_call(kind, number): from now on the call with that number fails, once. failed_call(): whether it did; no later
   one fails. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { NONE, ALLOCATION, FILE_CALL };

static int failing;
static long wanted, seen;
static int has_failed;

void fail_call(int kind, long number) {
    wanted = number;
    seen = 0;
    has_failed = 0;
    __atomic_store_n(&failing, kind, __ATOMIC_SEQ_CST);
}

int failed_call(void) {
    __atomic_store_n(&failing, NONE, __ATOMIC_SEQ_CST);
    return has_failed;
}

static int fails(int kind) {
    if (__atomic_load_n(&failing, __ATOMIC_SEQ_CST) != kind || __atomic_fetch_add(&seen, 1, __ATOMIC_SEQ_CST) != wanted)
        return 0;
    __atomic_store_n(&failing, NONE, __ATOMIC_SEQ_CST);
    has_failed = 1;
    errno = kind == ALLOCATION ? ENOMEM : EIO;
    return 1;
}

static int file_fails(int descriptor) {
    struct stat found;
    if (__atomic_load_n(&failing, __ATOMIC_SEQ_CST) != FILE_CALL)
        return 0;
    return fstat(descriptor, &found) == 0 && S_ISREG(found.st_mode) && fails(FILE_CALL);
}

/* The functions of glibc under their other names: dlsym itself allocates. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

void *malloc(size_t size) { return fails(ALLOCATION) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails(ALLOCATION) ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return fails(ALLOCATION) ? NULL : __libc_realloc(old, size); }

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t read(int descriptor, void *data, size_t size) {
    return file_fails(descriptor) ? -1 : REAL(read)(descriptor, data, size);
}
ssize_t write(int descriptor, const void *data, size_t size) {
    return file_fails(descriptor) ? -1 : REAL(write)(descriptor, data, size);
}
ssize_t pread64(int descriptor, void *data, size_t size, off64_t place) {
    return file_fails(descriptor) ? -1 : REAL(pread64)(descriptor, data, size, place);
}
ssize_t pwrite64(int descriptor, const void *data, size_t size, off64_t place) {
    return file_fails(descriptor) ? -1 : REAL(pwrite64)(descriptor, data, size, place);
}
int fsync(int descriptor) { return file_fails(descriptor) ? -1 : REAL(fsync)(descriptor); }
int fdatasync(int descriptor) { return file_fails(descriptor) ? -1 : REAL(fdatasync)(descriptor); }
int ftruncate64(int descriptor, off64_t size) {
    return file_fails(descriptor) ? -1 : REAL(ftruncate64)(descriptor, size);
}
int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = va_arg(rest, mode_t);
    va_end(rest);
    return fails(FILE_CALL) ? -1 : REAL(open64)(path, flags, mode);
}
