/* A PKCS#11 module that forwards to SoftHSM, and fails while a file exists.

   HANG_FILE: C_Sign, C_OpenSession and C_Login do not return until the file is removed.
   LOST_FILE: C_Sign answers CKR_SESSION_HANDLE_INVALID, as after a device lost its sessions.
   WRONG_FILE: C_Sign answers a signature with one wrong bit. */

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#define FUNCTIONS 68
#define OPEN_SESSION 12
#define LOGIN 18
#define SIGN 43
#define CKR_OK 0x00UL
#define CKR_GENERAL_ERROR 0x05UL
#define CKR_SESSION_HANDLE_INVALID 0xB3UL

typedef unsigned long rv;
typedef struct {
    unsigned char version[2];
    void *functions[FUNCTIONS];
} function_list;

static function_list list;
static rv (*real_open)(unsigned long, unsigned long, void *, void *, unsigned long *);
static rv (*real_login)(unsigned long, unsigned long, unsigned char *, unsigned long);
static rv (*real_sign)(unsigned long, unsigned char *, unsigned long, unsigned char *, unsigned long *);

static void wait_while_hanging(void) {
    while (access(HANG_FILE, F_OK) == 0)
        usleep(2000);
}

static rv open_session(unsigned long slot, unsigned long flags, void *application, void *notify, unsigned long *out) {
    wait_while_hanging();
    return real_open(slot, flags, application, notify, out);
}

static rv login(unsigned long session, unsigned long user, unsigned char *pin, unsigned long length) {
    wait_while_hanging();
    return real_login(session, user, pin, length);
}

static rv sign(unsigned long session, unsigned char *data, unsigned long size, unsigned char *out, unsigned long *room) {
    wait_while_hanging();
    if (access(LOST_FILE, F_OK) == 0)
        return CKR_SESSION_HANDLE_INVALID;
    rv answer = real_sign(session, data, size, out, room);
    if (answer == CKR_OK && out != NULL && *room > 0 && access(WRONG_FILE, F_OK) == 0)
        out[*room - 1] ^= 1;
    return answer;
}

rv C_GetFunctionList(function_list **found) {
    if (real_sign == NULL) {
        function_list *real;
        void *library = dlopen(SOFTHSM, RTLD_NOW | RTLD_LOCAL);
        rv (*get)(function_list **) = library ? (rv (*)(function_list **))dlsym(library, "C_GetFunctionList") : NULL;
        if (get == NULL || get(&real) != 0)
            return CKR_GENERAL_ERROR;
        memcpy(&list, real, sizeof list);
        real_open = list.functions[OPEN_SESSION];
        real_login = list.functions[LOGIN];
        list.functions[OPEN_SESSION] = open_session;
        list.functions[LOGIN] = login;
        list.functions[SIGN] = sign;
        real_sign = real->functions[SIGN];
    }
    *found = &list;
    return 0;
}
