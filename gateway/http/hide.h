// SPDX-License-Identifier: BSD-2-Clause
// Keeps credentials out of sentences: a server may repeat a request in its answer.
#pragma once

#include <stddef.h>

// Overwrites by '*' each run of at least HIDE_RUN_MIN octets that stands somewhere in the secret,
// too: the secret, and the rest of a secret that was cut. A shorter secret is overwritten where it
// stands whole. Valid UTF-8 stays so. An empty secret hides nothing.
enum { HIDE_RUN_MIN = 8 };
void hide_secret(char *text, const char *secret);

// Writes what basic authentication sends of a user and a password (RFC 7617), in base64.
// `size` is at least 1; what does not fit is cut.
void hide_write_basic(char *out, size_t size, const char *user, const char *password);
