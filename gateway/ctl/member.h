// Members of a JSON object that may be missing.
#ifndef IBTRAPD_CTL_MEMBER_H
#define IBTRAPD_CTL_MEMBER_H

#include <jansson.h>

const char *member_word(const json_t *object, const char *key); // empty: missing, or no text
long long member_count(const json_t *object, const char *key);  // 0: missing, or no number

#endif
