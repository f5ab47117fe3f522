// SPDX-License-Identifier: BSD-2-Clause
#include "ctl/show.h"

#include "base/memory.h"
#include "base/text.h"
#include "ctl/terminal.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

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

const char *member_word(const json_t *object, const char *key)
{
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

long long member_count(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

// Layouts.

enum { SHOW_NUMBER_SIZE = 24, SHOW_NAME_SIZE = 40, SHOW_DEPTH = 8, TIME_COLUMNS = 20 };

static const json_t *show_member(const json_t *object, const char *path, size_t length)
{
    while (length > 0) {
        char name[SHOW_NAME_SIZE];
        const char *dot = memchr(path, '.', length);
        const size_t n = dot ? (size_t)(dot - path) : length;
        snprintf(name, sizeof name, "%.*s", (int)n, path);
        object = json_object_get(object, name);
        path += n + (dot != NULL);
        length -= n + (dot != NULL);
    }
    return object;
}

// The text of a value. Numbers are written to `number`.
static const char *show_text(const json_t *value, long long divisor, char number[SHOW_NUMBER_SIZE])
{
    if (json_is_string(value))
        return json_string_value(value);
    if (json_is_boolean(value))
        return json_is_true(value) ? "true" : "false";
    if (json_is_real(value))
        snprintf(number, SHOW_NUMBER_SIZE, "%.6g", json_real_value(value));
    if (!json_is_integer(value) && !json_is_array(value))
        return json_is_real(value) ? number : "";
    snprintf(number, SHOW_NUMBER_SIZE, "%lld",
             json_is_array(value) ? (long long)json_array_size(value)
                                  : json_integer_value(value) / divisor);
    return number;
}

static void show_duration(FILE *out, int64_t seconds)
{
    char words[SHOW_NUMBER_SIZE + 8];
    struct text t = text_in(words, sizeof words);
    text_add_duration(&t, seconds);
    fputs(words, out);
}

// Writes a placeholder. `p` is the begin of its path. Returns the place behind the placeholder.
static const char *show_placeholder(FILE *out, const char *p, const json_t *object)
{
    const json_t *value = show_member(object, p, strcspn(p, ":/#$>~@^}"));
    const char *form = p + strcspn(p, ":/#$>~@^}"), *behind = p + strcspn(p, "}") + 1;
    char number[SHOW_NUMBER_SIZE], *end = "";
    const long wide = *form == '}' ? 0 : strtol(form + 1, &end, 10);
    const char *text = show_text(value, *form == '/' && wide > 0 ? wide : 1, number);
    if (*form == '^')
        show_duration(out, json_integer_value(value));
    else if (*form == '@')
        fprintf(out, "%-*.19s%s", text[0] ? 0 : TIME_COLUMNS, text[0] ? text : "-",
                text[0] ? "Z" : "");
    else if (*form == '#')
        terminal_word(out, text, (int)wide);
    else if (*form == '$')
        terminal_cell(out, text, (int)wide);
    else if (*form == '>')
        terminal_wrap(out, (int)wide, text);
    else if (*form == '~')
        terminal_hang(out, (int)wide, text);
    else if (*form == ':')
        fprintf(out, "%*.*s", (int)wide, *end == '.' ? (int)strtol(end + 1, NULL, 10) : INT_MAX,
                text);
    else
        fputs(text, out);
    return behind;
}

// Whether one of the conditions before the question mark is true.
static bool show_holds(const char *p, const json_t *object)
{
    for (;; p++) {
        const size_t length = strcspn(p, ",?"), path = strcspn(p, "=,?");
        const json_t *value = show_member(object, p, path);
        char number[SHOW_NUMBER_SIZE];
        const char *text = show_text(value, 1, number);
        const size_t size = strlen(text);
        const bool is_equal = size == length - path - 1 && strncmp(p + path + 1, text, size) == 0;
        const bool is_zero =
            json_is_false(value) || (!json_is_string(value) && strcmp(text, "0") == 0);
        const bool is_some = json_is_object(value) || (size > 0 && !is_zero);
        if (p[path] == '=' ? is_equal : is_some)
            return true;
        p += length;
        if (*p != ',')
            return false;
    }
}

void show_layout(FILE *out, const char *layout, const json_t *object)
{
    // Of each open bracket: whether its condition is true, and whether the present part is written.
    bool holds[SHOW_DEPTH] = {true}, writes[SHOW_DEPTH] = {true};
    size_t depth = 0;
    for (const char *p = layout; *p != '\0';) {
        if (*p == '{' && writes[depth]) {
            p = show_placeholder(out, p + 1, object);
            continue;
        }
        if (*p == '[') {
            assert(depth + 1 < SHOW_DEPTH);
            depth++;
            holds[depth] = show_holds(p + 1, object);
            writes[depth] = writes[depth - 1] && holds[depth];
            p += strcspn(p, "?");
        } else if (depth > 0 && *p == '|') {
            writes[depth] = writes[depth - 1] && !holds[depth];
        } else if (depth > 0 && *p == ']') {
            depth--;
        } else if (writes[depth]) {
            fputc(*p, out);
        }
        p++;
    }
}

void show_wrapped(FILE *out, int indent, const char *layout, const json_t *object)
{
    if (terminal_is_absent(out)) {
        show_layout(out, layout, object);
        return;
    }
    char *text = NULL, *rest = NULL;
    size_t size;
    FILE *whole = memory_need(open_memstream(&text, &size));
    show_layout(whole, layout, object);
    fclose(whole);
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        const int before = (int)strnlen(line, (size_t)indent);
        fprintf(out, "%.*s", before, line);
        terminal_hang(out, indent, line + before);
        rest = end + 1;
    }
    fputs(rest ? rest : text, out);
    free(text);
}

void show_each(FILE *out, const char *layout, const json_t *list)
{
    size_t i;
    const json_t *one;
    json_array_foreach(list, i, one) show_layout(out, layout, one);
}

void show_item(FILE *out, int indent, const char *separator, const char *item, size_t *column)
{
    const size_t gap =
        strlen(separator); // the last octet is a blank, and no line ends with a blank
    if (*column > 0 && *column + 2 * gap - 1 + strlen(item) > (size_t)terminal_columns(out)) {
        fprintf(out, "%.*s\n", (int)gap - 1, separator);
        *column = 0;
    }
    *column +=
        (size_t)fprintf(out, "%*s%s%s", *column ? 0 : indent, "", *column ? separator : "", item);
}

// Whole answers.

bool show_form(FILE *out, const struct show_form *form, const json_t *answer, bool is_first)
{
    const json_t *list = form->list ? json_object_get(answer, form->list) : NULL;
    if (form->list && !json_is_array(list))
        return false;
    if (is_first && form->none && json_array_size(list) == 0)
        show_layout(out, form->none, answer);
    else if (is_first && form->head)
        show_layout(out, form->head, answer);
    if (form->line)
        show_each(out, form->line, list);
    return !form->rest || form->rest(out, answer);
}

void show_list_begin(struct show_list *list, const json_t *object, const char *name)
{
    json_t *head = json_copy((json_t *)object);
    json_object_del(head, name);
    json_object_del(head, "more");
    char *text = json_dumps(head, JSON_COMPACT);
    fprintf(list->out, "%.*s,\"%s\":[", (int)strlen(text) - 1, text, name);
    free(text);
    json_decref(head);
}

void show_list_add(struct show_list *list, const json_t *one)
{
    fputs(list->count++ == 0 ? "\n" : ",\n", list->out);
    json_dumpf(one, list->out, JSON_COMPACT);
}

void show_list_end(struct show_list *list)
{
    fputs("\n]}\n", list->out);
}
