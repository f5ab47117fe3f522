#include "ctl/member.h"

const char *member_word(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

long long member_count(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}
