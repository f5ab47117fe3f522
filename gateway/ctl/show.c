// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/show.h"

bool show_refuse_shape(struct error *err)
{
    return error_set(err,
                     "the answer has another shape than expected: are ibtrapctl and ibtrapd of one "
                     "version?");
}

bool show_json(FILE *out, const json_t *value, struct error *err)
{
    bool ok = json_dumpf(value, out, JSON_INDENT(2)) == 0 && fputc('\n', out) != EOF;
    return ok || error_set(err, "cannot write");
}

bool show_answer(FILE *out, const json_t *answer, bool json,
                 bool (*show)(FILE *out, const json_t *answer), struct error *err)
{
    if (json)
        return show_json(out, answer, err);
    return show(out, answer) || show_refuse_shape(err);
}

const char *member_word(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

long long member_count(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}
