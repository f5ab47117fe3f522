// SPDX-License-Identifier: BSD-2-Clause
#include "http/hide.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static bool hide_is_within_character(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

// How long a beginning of the text stands somewhere in the secret.
static size_t hide_run(const char *text, const char *secret)
{
    size_t longest = 0;
    for (const char *s = secret; *s; s++) {
        size_t n = 0;
        while (text[n] != '\0' && text[n] == s[n])
            n++;
        longest = n > longest ? n : longest;
    }
    while (longest > 0 && hide_is_within_character(text[longest]))
        longest--;
    return longest;
}

void hide_secret(char *text, const char *secret)
{
    const size_t length = strlen(secret);
    while (*text != '\0') {
        const size_t n = hide_is_within_character(*text) ? 0 : hide_run(text, secret);
        if (n >= HIDE_RUN_MIN || (n > 0 && n == length)) {
            memset(text, '*', n);
            text += n;
        } else {
            text++;
        }
    }
}

static char hide_digit(uint32_t group, unsigned shift)
{
    static const char DIGITS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return DIGITS[group >> shift & 63];
}

void hide_write_basic(char *out, size_t size, const char *user, const char *password)
{
    const size_t before = strlen(user) + 1, length = before + strlen(password);
    size_t n = 0;
    for (size_t i = 0; i < length && n + 4 < size; i += 3) {
        uint32_t group = 0;
        for (size_t j = i; j < i + 3; j++) {
            const char c = j >= length       ? '\0'
                           : j >= before     ? password[j - before]
                           : j == before - 1 ? ':'
                                             : user[j];
            group = group << 8 | (unsigned char)c;
        }
        for (unsigned digit = 0; digit < 4; digit++)
            out[n++] = i + digit <= length ? hide_digit(group, 18 - 6 * digit) : '=';
    }
    out[n] = '\0';
}
