// SPDX-License-Identifier: BSD-2-Clause
// Writes the daemon's answers for people, within 100 columns. The stream keeps a write error; check
// the stream at the end.
// Decides: How does a value of an answer become text?
#pragma once

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

// Members of an object. A member may be missing.
const char *member_word(const json_t *object, const char *key); // empty: missing, or no text
long long member_count(const json_t *object, const char *key);  // 0: missing, or no number

// Writes the layout with members of the object. PATH is the name of a member, or of a member of a
// member, such as sm.lid.
//
// {PATH}      the value: a text, a number, true or false, or how many items a list has; nothing for
//             a missing member. {PATH:-8} and {PATH:9.19} fill and cut the value as %-8s and %9.19s
//             do. {PATH/1000} is a quotient. {PATH#13} is the coloured word of a state or severity
//             in 13 columns (terminal_word), {PATH$16} a cell (terminal_cell), {PATH>4} a sentence
//             with its own lines (terminal_wrap), {PATH~58} the rest of a line (terminal_hang).
//             {PATH@} is a time to the second, 2026-11-28T12:47:12Z, or a dash and blanks, and
//             {PATH^} some seconds in the unit that fits, "21 min" (text_add_duration).
// [PATH?A|B]  A if the value is neither missing, empty, 0 nor false; otherwise B. "|B" may be
//             missing. [PATH=V?A|B] is A if {PATH} would write V. Conditions with commas between
//             them are true if one of the conditions is true. A and B are layouts themselves;
//             brackets nest seven deep at most.
void show_layout(FILE *out, const char *layout, const json_t *object);

// The same, but each line that is wider than the terminal goes on at column `indent`. A file or a
// program (grep) gets whole lines.
void show_wrapped(FILE *out, int indent, const char *layout, const json_t *object);

// Writes the layout once for each object of the list.
void show_each(FILE *out, const char *layout, const json_t *list);

// Writes an item of a list that takes several lines: the separator, unless the item begins a line,
// and the item. `*column` is 0 before the first item.
void show_item(FILE *out, int indent, const char *separator, const char *item, size_t *column);

// How an answer is written.
struct show_form {
    const char *list; // a member of the answer, written in a line for each item; NULL: none
    bool is_paged;    // the list comes in pages
    const char *none; // layout of the answer if the list is empty; NULL: as for other lists
    const char *head; // layout of the answer above the list; NULL: none
    const char *line; // layout of each item of the list; NULL: none
    bool (*rest)(FILE *out, const json_t *answer); // writes the rest; false: it has another shape
};

// Writes an answer, or a page of an answer. False: the answer has another shape.
bool show_form(FILE *out, const struct show_form *form, const json_t *answer, bool is_first);

bool show_json(FILE *out, const json_t *value, struct error *err);

// A list of an object in JSON, one item a line: the whole list is never in memory.
struct show_list {
    FILE *out;
    size_t count; // of the items so far
};

// Writes the members of the object but the list `name` and "more", and begins the list.
void show_list_begin(struct show_list *list, const json_t *object, const char *name);
void show_list_add(struct show_list *list, const json_t *one);
void show_list_end(struct show_list *list);

// Sets the sentence for an answer without expected members. Returns false.
bool show_refuse_shape(struct error *err);
