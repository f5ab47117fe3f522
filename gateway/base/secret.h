// Keys and passwords from files that others cannot read. Links are followed; what is at their end
// is examined.
#ifndef IBTRAPD_BASE_SECRET_H
#define IBTRAPD_BASE_SECRET_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum { SECRET_FILE_MAX = 65536 }; // octets of a file that is read as a whole

// Reads the first line of `path` into `out` (without its end, always NUL-terminated). Refuses, with
// a sentence that says what to do, a file that is not regular, that group or others can access,
// that belongs to another user, that is empty, or whose first line does not fit.
//
// The owner is root or the user of this process; to root, who checks a configuration for the
// service, also the user that the service runs as.
bool secret_read_line(const char *path, char *out, size_t size, struct error *err);

// The same for one 64-bit key, decimal or with 0x. The value never appears in an error.
bool secret_read_key(const char *path, uint64_t *key, struct error *err);

// The same for a whole file, such as a key in PEM: NUL-terminated, to be freed with secret_free;
// `size` is without the NUL. NULL with a sentence, also when it is longer than SECRET_FILE_MAX.
char *secret_read_file(const char *path, size_t *size, struct error *err);
void secret_free(char *content, size_t size); // erases it before; NULL is allowed

// Whether the file may hold a secret, as above.
bool secret_check_file(const char *path, struct error *err);

#endif
