// SPDX-License-Identifier: BSD-2-Clause
#include "conf/parser.h"

#include "base/memory.h"
#include "base/text.h"
#include "conf/check.h"
#include "conf/lexer.h"
#include "conf/rows.h"
#include "conf/schema.h"
#include "conf/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parser {
    struct lexer lexer;
    enum lexer_token token; // the one to parse next
    bool looks;             // at the files that the text names
    unsigned before;        // line of the token before that one
    bool stopped;           // nothing more can be read
    bool lost;              // a mistake leaves unclear how the line goes on: see parser_resume
    bool in_list;           // it was lost within the braces of a list
    bool swallowed;         // part of a line was skipped unread, and may have had a closing brace
    // The last section without a closing brace; NULL: each section had a closing brace. Items of
    // this section may follow where only sections are expected.
    const struct schema_section *unclosed;
    struct conf *conf;
    struct report *report;
    unsigned secret_line; // line whose words may be a secret; 0: none yet
    // The sections without a name of their own, in their places of SCHEMA.
    struct section single[SCHEMA_SECTIONS_MAX];
};

// Hints for a user who wrote a name that the schema does not have.

// Finds the nearest name that may stand there.
static struct nearest parser_find_nearest(const struct schema_section *section, const char *name)
{
    struct nearest nearest = nearest_begin(name);
    const struct schema_item *item;
    for (size_t i = 0; section && (item = schema_item(section, i)); i++)
        nearest_try(&nearest, item->name);
    for (size_t i = 0; !section && i < SCHEMA_COUNT; i++)
        nearest_try(&nearest, SCHEMA[i].name);
    return nearest;
}

// Adds "'snmp', 'syslog' and 'file'": the sections that have the item.
static void parser_add_sections(const char *item, size_t count, struct text *t)
{
    size_t seen = 0;
    for (size_t i = 0; i < SCHEMA_COUNT; i++) {
        if (schema_find(&SCHEMA[i], item, NULL)) {
            text_addf(t, "%s'%s'",
                      seen == 0          ? ""
                      : seen + 1 < count ? ", "
                                         : " and ",
                      SCHEMA[i].name);
            seen++;
        }
    }
}

// Adds a hint about an item that other programs have. Returns false for any other item.
static bool parser_add_foreign_hint(const struct schema_section *section, const char *name,
                                    struct text *t)
{
    char file[80];
    const bool has_address = section && schema_find(section, "address", NULL);
    snprintf(file, sizeof file, "%.70s_file", name);
    if (has_address && strcmp(name, "port") == 0)
        text_add(t, "; the port stands behind the address, as in address = \"HOST:1162\"");
    else if (has_address && (strcmp(name, "host") == 0 || strcmp(name, "server") == 0))
        text_add(t, "; the host is the item 'address', as in address = \"HOST\"");
    else if (section && strstr(name, "password") && schema_find(section, file, NULL))
        text_addf(t, "; write the password into a file of its own, and name it in '%s'", file);
    else
        return false;
    return true;
}

// Adds "; it belongs to section 'snmp'" or "; did you mean 'window'?" for a name that `section`
// does not have, or nothing if no name is near. NULL stands for the top of the file.
static void parser_add_hint(const struct schema_section *section, const char *name, struct text *t)
{
    size_t count = 0;
    if (parser_add_foreign_hint(section, name, t))
        return;
    for (size_t i = 0; i < SCHEMA_COUNT; i++)
        count += schema_find(&SCHEMA[i], name, NULL) != NULL;
    const struct nearest nearest = parser_find_nearest(section, name);
    // An item of another section may still be a slip, for instance url for urls.
    const bool is_slip = nearest.name && (count == 0 || (section && nearest.distance == 1));
    if (is_slip)
        text_addf(t, "; did you mean '%s'?", nearest.name);
    if (count == 0)
        return;
    if (is_slip)
        text_addf(t, " '%s'", name);
    text_addf(t, "%s belongs to %s ", is_slip ? "" : "; it",
              count == 1 ? "section" : "the sections");
    parser_add_sections(name, count, t);
}

// Stepping through the tokens. After a token that the grammar does not allow the parser is lost,
// until a later line shows where it is.

__attribute__((format(printf, 2, 3))) static bool parser_lose(struct parser *p, const char *fmt,
                                                              ...)
{
    char sentence[400];
    TEXT_FILL(sentence, fmt);
    if (!p->lost && !p->stopped)
        report_add(p->report, p->lexer.line, "%s", sentence);
    p->lost = true;
    return false;
}

static bool parser_is_off(const struct parser *p)
{
    return p->stopped || p->lost;
}

static void parser_step(struct parser *p)
{
    p->before = p->lexer.line;
    while ((p->token = lexer_next(&p->lexer)) == LEXER_WRONG) {
        parser_lose(p, "%s", p->lexer.wrong);
        p->swallowed = true;
        lexer_skip_line(&p->lexer);
    }
    if (report_is_full(p->report))
        p->stopped = true;
}

// Names the token, but no word that may be a secret.
static bool parser_unexpected(struct parser *p, const char *wanted)
{
    bool shown = p->token == LEXER_WORD && p->secret_line != p->lexer.line;
    return parser_lose(p, "%s is expected, and there is %s%s%s", wanted,
                       shown ? "'" : lexer_token_name(p->token), shown ? p->lexer.word : "",
                       shown ? "'" : "");
}

static bool parser_take(struct parser *p, enum lexer_token token)
{
    if (p->token != token)
        return parser_unexpected(p, lexer_token_name(token));
    parser_step(p);
    return !parser_is_off(p);
}

// Skipping text that has no meaning.

// Whether the token begins a line and is the name of a section, or of an item of `schema`.
static bool parser_begins(const struct parser *p, const struct schema_section *schema)
{
    return p->token == LEXER_WORD && p->lexer.line > p->before &&
           (schema_section(p->lexer.word) || (schema && schema_find(schema, p->lexer.word, NULL)));
}

// Goes on, after a mistake, where the text has a meaning again: at a line that begins with a name
// that may stand there, or at the closing brace of the section. NULL for `schema`: outside of
// sections.
static void parser_resume(struct parser *p, const struct schema_section *schema)
{
    unsigned open = p->in_list;
    p->in_list = false;
    while (p->lost && p->token != LEXER_END && !p->stopped) {
        bool closes = p->token == LEXER_CLOSE;
        if (parser_begins(p, schema) || (closes && open == 0 && schema))
            break;
        open += p->token == LEXER_OPEN;
        open -= closes && open > 0;
        parser_step(p);
        if (closes && open == 0 && !schema)
            break;
    }
    p->lost = false;
}

static void parser_skip_block(struct parser *p)
{
    unsigned open = 0;
    do {
        open += p->token == LEXER_OPEN;
        open -= p->token == LEXER_CLOSE;
        parser_step(p);
    } while (open > 0 && p->token != LEXER_END && !parser_is_off(p) && !parser_begins(p, NULL));
    if (open > 0 && !parser_is_off(p) && !p->swallowed)
        report_add(p->report, p->lexer.line, "a section has no end: a closing brace is missing");
}

// Skips what stands behind an unknown name: a value, a list, or a section.
static void parser_skip_unknown(struct parser *p)
{
    bool item = p->token == LEXER_EQUALS || p->token == LEXER_APPEND;
    if (item)
        parser_step(p);
    if (p->token == LEXER_WORD && !parser_is_off(p) && !(item && p->lexer.line > p->before))
        parser_step(p);
    if (p->token == LEXER_OPEN && !parser_is_off(p))
        parser_skip_block(p);
}

// Items.

// Whether the item names a file that has a secret. Many a user writes the secret itself there.
static bool parser_names_secret(const struct schema_item *item)
{
    return item->look == check_key_file || item->look == check_secret_file ||
           item->look == check_header_file;
}

// Whether the value is a URL with a user or a query, where a password or a token may stand.
static bool parser_has_url_with_more(const struct schema_item *item, const char *value)
{
    return (item->check == check_url || item->check == check_urls) && strpbrk(value, "@?");
}

// Whether messages may have the value.
static bool parser_may_show(const struct schema_item *item, const char *value)
{
    return !item->secret && (!parser_names_secret(item) || value[0] == '/') &&
           !parser_has_url_with_more(item, value);
}

static void parser_take_value(struct parser *p, struct section *section,
                              const struct schema_item *item)
{
    const char *value = p->lexer.word;
    struct error reason;
    if (item->secret || parser_names_secret(item))
        p->secret_line = p->lexer.line; // the value may be in another line than the name
    if (!value_has_room(item, section->object))
        section_refuse(section, "item '%s' has more than %d values", item->name,
                       (int)FILTER_PATTERNS_MAX);
    else if (value_take(item, section->object, value, &reason) &&
             (!section->looks || !item->look || item->look(value, &reason)))
        return;
    else if (!parser_may_show(item, value))
        report_add(p->report, p->lexer.line, "item '%s': %s", item->name, reason.text);
    else
        report_add(p->report, p->lexer.line, "item '%s': value '%.250s': %s", item->name, value,
                   reason.text);
    section->bad = true;
}

// Reads a list; the token is its opening brace. A comma may stand behind the last member.
static void parser_take_list(struct parser *p, struct section *section,
                             const struct schema_item *item)
{
    parser_step(p);
    while (p->token == LEXER_WORD && !parser_is_off(p)) {
        section->line = p->lexer.line;
        parser_take_value(p, section, item);
        parser_step(p);
        if (p->token != LEXER_COMMA)
            break;
        parser_step(p);
    }
    if (parser_is_off(p))
        return;
    if (p->token != LEXER_CLOSE)
        p->in_list = !parser_unexpected(p, "',' or '}'");
    else
        parser_step(p);
}

// Notes that the file has the item; a second value would silently take the place of the first.
static void parser_note_item(struct section *section, const struct schema_item *item, size_t place,
                             bool append)
{
    if (section->lines[place] != 0 && !append) {
        report_add(section->report, section->line, "item '%s' stands in line %u already%s",
                   item->name, section->lines[place],
                   value_is_list(item) ? ": add to it with '+='" : "");
        section->bad = true;
    }
    section->lines[place] = section->line;
}

static void parser_take_item(struct parser *p, struct section *section,
                             const struct schema_item *item, size_t place)
{
    bool append = p->token == LEXER_APPEND;
    if (item->secret || parser_names_secret(item))
        p->secret_line = p->lexer.line;
    if (append && !value_is_list(item)) {
        parser_lose(p, "item '%s' has one value only: write '=' for '+='", item->name);
        return;
    }
    if (!append && !parser_take(p, LEXER_EQUALS))
        return;
    if (append)
        parser_step(p);
    parser_note_item(section, item, place, append);
    if (value_is_list(item) && !append)
        value_clear(item, section->object);
    if (p->token == LEXER_OPEN && value_is_list(item)) {
        parser_take_list(p, section, item);
    } else if (p->token == LEXER_WORD && value_is_list(item) && strcmp(p->lexer.word, "[") == 0) {
        parser_lose(p, "item '%s': a list stands in braces: write %s = {\"A\", \"B\"}", item->name,
                    item->name);
    } else if (p->token == LEXER_WORD && !parser_is_off(p)) {
        parser_take_value(p, section, item);
        parser_step(p);
    } else if (!parser_is_off(p)) {
        char wanted[80];
        snprintf(wanted, sizeof wanted, "a value for item '%s'", item->name);
        parser_unexpected(p, wanted);
    }
}

// Says that there is no item of this name, or no section if the name stands at the beginning of a
// section.
static void parser_report_name(struct parser *p, const struct section *section, const char *name,
                               unsigned line)
{
    char hint[240];
    struct text t = text_in(hint, sizeof hint);
    const bool is_section = p->token == LEXER_OPEN || (p->token == LEXER_WORD && !section);
    const char *now = schema_new_name(name);
    parser_add_hint(is_section || !section ? NULL : section->schema, name, &t);
    if (is_section && now)
        report_add(p->report, line, "section '%s' is called '%s' now", name, now);
    else if (is_section)
        report_add(p->report, line, "section '%s': there is no such section%s", name, hint);
    else
        report_add(p->report, line, "item '%s': there is no such item here%s", name, hint);
}

// Reports an unknown name and skips the value, list or section behind the name. NULL for `section`:
// the name stands at the top of the file.
static void parser_refuse_name(struct parser *p, struct section *section)
{
    char name[80];
    const unsigned line = p->lexer.line;
    const bool hidden = p->secret_line == line;
    // The rest of a section of which a brace is missing.
    const bool left = !section && p->unclosed && schema_find(p->unclosed, p->lexer.word, NULL);
    snprintf(name, sizeof name, "%s", p->lexer.word);
    if (section)
        section->bad = true;
    parser_step(p);
    if (hidden)
        report_add(p->report, line, "there is a word too many behind the value");
    else if (!left)
        parser_report_name(p, section, name, line);
    if (p->token != LEXER_OPEN)
        p->secret_line =
            line; // the name may be a misspelled item with a secret, for instance a community
    if (!parser_is_off(p))
        parser_skip_unknown(p);
}

// Reads an item of a section; the token is its name.
static void parser_run_item(struct parser *p, struct section *section)
{
    size_t place;
    const struct schema_item *item = schema_find(section->schema, p->lexer.word, &place);
    section->line = p->lexer.line;
    if (item) {
        parser_step(p);
        if (!parser_is_off(p))
            parser_take_item(p, section, item, place);
    } else {
        parser_refuse_name(p, section);
    }
}

// Sections.

static bool parser_check_name(struct parser *p, struct section *section)
{
    bool receiver = section->schema->object == SCHEMA_RECEIVER;
    static const char RECIPIENT[] = "recipient-"; // recipient-192.0.2.1-5f10: set by SNMP
    const char *name = p->lexer.word, *whose = receiver ? "a receiver's" : "a policy's";
    size_t max = (receiver ? (size_t)CONF_NAME_SIZE : (size_t)CONF_RULE_NAME_SIZE) - 1;
    struct error reason = {""};
    if (receiver && strncmp(name, RECIPIENT, sizeof RECIPIENT - 1) == 0)
        error_set(&reason, "names that begin with 'recipient-' are those of trap recipients");
    else if (name[0] == '\0' || strlen(name) > max)
        error_set(&reason, "%s name has 1 to %zu characters", whose, max);
    else if (name[strspn(name, TEXT_NAME_CHARACTERS)] != '\0')
        error_set(&reason, "%s name has letters, digits, '.', '_', '-'", whose);
    if (reason.text[0] == '\0')
        return true;
    report_add(p->report, p->lexer.line, "item '%s': value '%s': %s", section->schema->name, name,
               reason.text);
    return false;
}

static bool parser_is_taken(const struct conf *conf, const struct section *section)
{
    bool receiver = section->schema->object == SCHEMA_RECEIVER;
    for (size_t i = 0; i < (receiver ? conf->receiver_count : conf->policy.rule_count); i++) {
        const char *other = receiver ? conf->receivers[i].name : conf->policy.rules[i].name;
        if (strcmp(other, section->name) == 0)
            return true;
    }
    return false;
}

// Adds the receiver or the rule of the section. False, with the section refused: there is no room.
static bool parser_add_object(struct conf *conf, struct section *section)
{
    const bool receiver = section->schema->object == SCHEMA_RECEIVER;
    size_t *count = receiver ? &conf->receiver_count : &conf->policy.rule_count;
    const int most = receiver ? (int)CONF_RECEIVERS_MAX : (int)CONF_RULES_MAX;
    if (*count == (size_t)most)
        return section_refuse(section, "there are more than %d %s", most,
                              receiver ? "receivers" : "of them");
    if (parser_is_taken(conf, section))
        section_refuse(section, "another %s has that name", receiver ? "receiver" : "policy");
    if (receiver) {
        struct conf_receiver *r = &conf->receivers[(*count)++];
        conf_receiver_init(r, section->schema->kind, section->name);
        section->object = r;
        section->name = r->name;
    } else {
        struct conf_rule *rule = &conf->policy.rules[(*count)++];
        rows_set_section_defaults(section->schema, rule);
        snprintf(rule->name, sizeof rule->name, "%s", section->name);
        section->object = rule;
        section->name = rule->name;
    }
    return true;
}

// Whether the section's opening brace is there. If an item follows at once, the brace counts as
// there.
static bool parser_open(struct parser *p, const struct section *section)
{
    bool follows =
        p->token == LEXER_WORD && schema_find(section->schema, p->lexer.word, NULL) != NULL;
    if (parser_take(p, LEXER_OPEN))
        return true;
    if (follows)
        p->lost = false;
    return follows;
}

// Ends a section whose closing brace is missing.
static void parser_close_open(struct parser *p, struct section *section)
{
    if (!p->swallowed && p->token == LEXER_END)
        report_add(p->report, p->lexer.line,
                   "section '%s' of line %u has no end: a closing brace is missing",
                   section->schema->name, section->begins);
    else if (!p->swallowed)
        report_add(p->report, p->lexer.line,
                   "section '%s' begins in section '%s' of line %u: a closing brace is missing",
                   p->lexer.word, section->schema->name, section->begins);
    section->bad = true;
    p->unclosed = section->schema;
}

// Reads the items of a section; the token should be its opening brace.
static void parser_run_block(struct parser *p, struct section *section)
{
    p->swallowed = p->lost;
    if (!parser_open(p, section))
        return;
    while (!p->stopped && p->token != LEXER_CLOSE && p->token != LEXER_END) {
        if (p->token != LEXER_WORD)
            parser_unexpected(p, "an item or '}'");
        else if (schema_section(p->lexer.word))
            break;
        else
            parser_run_item(p, section);
        section->bad |= p->lost;
        parser_resume(p, section->schema);
    }
    if (p->stopped)
        return;
    section->line = p->lexer.line;
    if (p->token != LEXER_CLOSE) {
        parser_close_open(p, section);
        return;
    }
    parser_step(p);
    if (section->schema->object != SCHEMA_CONF)
        section_check(section);
}

static void parser_run_named(struct parser *p, const struct schema_section *schema)
{
    struct section section = {
        .schema = schema, .line = p->before, .looks = p->looks, .report = p->report};
    section.begins = section.line;
    if (p->token != LEXER_WORD) {
        parser_lose(p, "section '%s' needs a name: write %s \"name\" {", schema->name,
                    schema->name);
        return;
    }
    section.bad = !parser_check_name(p, &section);
    section.name = p->lexer.word;
    bool room = parser_add_object(p->conf, &section);
    parser_step(p);
    if (room)
        parser_run_block(p, &section);
    else if (p->token == LEXER_OPEN && !parser_is_off(p))
        parser_skip_block(p);
}

// Reads a section; the token is its name.
static void parser_run_section(struct parser *p)
{
    const struct schema_section *schema = schema_section(p->lexer.word);
    if (!schema) {
        parser_refuse_name(p, NULL);
        return;
    }
    parser_step(p);
    if (parser_is_off(p))
        return;
    if (schema->object != SCHEMA_CONF) {
        parser_run_named(p, schema);
    } else if (p->token == LEXER_WORD) {
        parser_lose(p, "section '%s' has no name of its own: write %s {", schema->name,
                    schema->name);
    } else {
        struct section *section = &p->single[schema - SCHEMA];
        section->begins = p->before;
        parser_run_block(p, section);
    }
}

// Sorts the receivers by kind; receivers of one kind stay in the order of the file. Needs the free
// place behind the last receiver.
static void parser_group_receivers(struct conf *conf)
{
    struct conf_receiver *all = conf->receivers, *spare = &all[CONF_RECEIVERS_MAX];
    for (size_t i = 1; i < conf->receiver_count; i++) {
        size_t place = i;
        while (place > 0 && all[place - 1].kind > all[i].kind)
            place--;
        if (place == i)
            continue;
        memcpy(spare, &all[i], sizeof *spare);
        memmove(&all[place + 1], &all[place], (i - place) * sizeof *all);
        memcpy(&all[place], spare, sizeof *spare);
    }
    explicit_bzero(spare, sizeof *spare);
}

// Checks the sections without a name of their own, also sections that the file does not have. A
// file may have a section in several pieces, so a section is complete only at the end of the file.
static void parser_end(struct parser *p)
{
    for (size_t i = 0; i < SCHEMA_COUNT && !p->stopped; i++) {
        if (SCHEMA[i].object == SCHEMA_CONF)
            section_check(&p->single[i]);
    }
    parser_group_receivers(p->conf);
}

// Reports a sign where a section should begin, but not the brace that ends a section whose brace
// seemed to be missing.
static void parser_refuse_sign(struct parser *p)
{
    const bool closes = p->token == LEXER_CLOSE;
    if (!closes || !(p->unclosed || p->swallowed))
        parser_unexpected(p, "a section");
    if (closes) {
        p->lost = false;
        p->unclosed = NULL;
        parser_step(p);
    }
}

bool parser_run(const char *text, bool looks, struct conf *conf, struct report *report)
{
    struct parser p = {.looks = looks, .conf = conf, .report = report};
    char *word = memory_get(strlen(text) + 1);
    lexer_init(&p.lexer, text, word);
    for (size_t i = 0; i < SCHEMA_COUNT; i++)
        p.single[i] = (struct section){
            .schema = &SCHEMA[i], .object = p.conf, .looks = p.looks, .report = p.report};
    parser_step(&p);
    while (p.token != LEXER_END && !p.stopped) {
        if (p.token == LEXER_WORD && !p.lost)
            parser_run_section(&p);
        else
            parser_refuse_sign(&p);
        parser_resume(&p, NULL);
    }
    parser_end(&p);
    explicit_bzero(word, strlen(text)); // it had communities
    free(word);
    return report->mistakes.count == 0;
}
