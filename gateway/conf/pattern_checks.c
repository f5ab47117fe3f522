// SPDX-License-Identifier: BSD-2-Clause
#include "conf/pattern_checks.h"

#include "model/address.h"

#include <fnmatch.h>
#include <string.h>

enum { GUID_LENGTH = ADDRESS_GUID_TEXT_SIZE - 1 };

// The length of what stands for one character, or of a star: "a", "\\a", "?", "*", "[a-f]".
static size_t pattern_atom(const char *p)
{
    const char *end;
    if (p[0] == '\\' && p[1] != '\0')
        return 2;
    if (p[0] != '[')
        return 1;
    // A bracket right behind the opening one, or behind its negation, is a member.
    end = p + 1;
    end += *end == '!' || *end == '^';
    end = *end != '\0' ? strchr(end + 1, ']') : NULL;
    return end ? (size_t)(end - p) + 1 : 1;
}

// Whether the character of a GUID at that place can fit the atom.
static bool pattern_atom_fits(const char *atom, size_t length, size_t place)
{
    char one[FILTER_PATTERN_SIZE];
    const char *digits = place == 0 ? "0" : place == 1 ? "x" : "0123456789abcdef";
    memcpy(one, atom, length);
    one[length] = '\0';
    for (; *digits != '\0'; digits++) {
        if (fnmatch(one, (char[]){*digits, '\0'}, 0) == 0)
            return true;
    }
    return false;
}

// Whether some GUID fits the pattern, which is not longer than FILTER_PATTERN_SIZE. `at` has a bit
// for each number of characters that the pattern so far can stand for.
static bool pattern_fits_guid(const char *pattern)
{
    uint32_t at = 1;
    for (size_t length; *pattern != '\0'; pattern += length) {
        uint32_t next = 0;
        length = pattern_atom(pattern);
        for (size_t i = 0; i <= GUID_LENGTH; i++) {
            if (!(at & 1U << i))
                continue;
            if (*pattern == '*')
                next |= ~0U << i;
            else if (i < GUID_LENGTH && pattern_atom_fits(pattern, length, i))
                next |= 1U << (i + 1);
        }
        at = next & ((2U << GUID_LENGTH) - 1);
    }
    return at & 1U << GUID_LENGTH;
}

bool check_guid_pattern(const struct schema_item *item, const char *value, struct error *reason)
{
    (void)item;
    return strlen(value) >= FILTER_PATTERN_SIZE || pattern_fits_guid(value) ||
           error_set(reason, "no GUID fits it: write 0x and 16 lower-case digits, such as "
                             "0x0002c903000e1234, or a part of them with *");
}

// Whether it has a sign that only a regular expression needs. '.', '(' and '+' may be in names.
static bool pattern_is_regular_expression(const char *value)
{
    size_t length = strlen(value);
    for (const char *p = value; *p != '\0'; p++) {
        if (*p == '|' || (*p == '\\' && p[1] != '\0' && strchr("dsw", p[1])) ||
            ((*p == ']' || *p == ')') && (p[1] == '+' || p[1] == '{')))
            return true;
    }
    return value[0] == '^' || (length > 1 && value[length - 1] == '$');
}

// Whether it is a GUID as other programs write it: "0x0002c903000e1234", "0002:c903:000e:1234" or
// "00:02:c9:03:00:0e:12:34", perhaps with stars.
static bool pattern_is_guid(const char *value)
{
    const char *colon = strchr(value, ':');
    const bool groups = colon && strchr(colon + 1, ':') &&
                        strspn(value, "0123456789abcdefABCDEF:*?") == strlen(value);
    return groups || (strncmp(value, "0x", 2) == 0 && strlen(value) == GUID_LENGTH &&
                      strspn(value + 2, "0123456789abcdefABCDEF*?") == GUID_LENGTH - 2);
}

bool check_node_pattern(const struct schema_item *item, const char *value, struct error *reason)
{
    (void)item;
    if (pattern_is_regular_expression(value))
        return error_set(reason, "looks like a regular expression: a pattern has *, ? and [a-z] "
                                 "only, and other characters stand for themselves");
    return !pattern_is_guid(value) ||
           error_set(reason, "looks like a GUID, and these are patterns of names: put it into item "
                             "'guids', as 0x and 16 digits");
}

bool check_any_pattern(const struct schema_item *item, const char *value, struct error *reason)
{
    if (strncmp(value, "0x", 2) == 0)
        return check_guid_pattern(item, value, reason);
    if (pattern_is_guid(value))
        return error_set(reason, "looks like a GUID: write it as 0x and 16 digits");
    return check_node_pattern(item, value, reason);
}
