// SPDX-License-Identifier: BSD-2-Clause
// Nodes with hostile names: from the octets of a NodeDescription to every output. No output
// contains a control character, and the structure of each output stays intact.
#include "fake_fabric.h"
#include "support.h"

#include "ctl/handlers.h"
#include "event/event_builder.h"
#include "ib/sweep.h"
#include "model/fabric_builder.h"
#include "model/mib.h"
#include "sink/format.h"
#include "topology/changes.h"
#include "topology/describe.h"

#include <jansson.h>

static const struct {
    const char *octets;
    size_t size;
} NAMES[] = {
#define NAME(text)                                                                                 \
    {                                                                                              \
        text, sizeof text - 1                                                                      \
    }
    NAME("plain"),
    NAME("\x1b[2J\x1b]0;owned\x07\x1b[31m"), // escape sequences of terminals
    NAME("\x9b"
         "2J\xc2\x9b"
         "2J\x7f\b\b\b"),
    NAME("a\r\nb\n<0>Jan  1 00:00:00 root su: forged\n"),
    NAME("\"] [forged@1 x=\"y\"] \\\""),
    NAME("\\"),
    NAME("x|y|z=1 msg=forged\tsev=10\\=\\|"),
    NAME("%n%n%s%s%99999999d"),
    NAME("$(reboot)`reboot`;reboot|reboot&'\"<>*?~!"),
    NAME("{subject}[{issuer}]{mkey}"),
    NAME("\",\"severity\":\"debug\"},{\"a\":\""),
    NAME("0123456789012345678901234567890123456789012345678901234567890123"),
    NAME("\xff\xfe\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80\xe2\x82"),
    NAME("\xe2\x80\xae"
         "gnp.exe \xe2\x81\xa6\xe2\x80\x8f\xd8\x9c\xe2\x80\xa8\xe2\x80\xa9"),
    NAME("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
         "\xc3\xa9"
         "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
         "\xc3\xa9"
         "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"),
    // Each replacement has three octets: together they exceed a name's room.
    NAME("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
         "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
         "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
#undef NAME
};

static struct fake_fabric f;
static struct error err;
static struct support_time now = {SUPPORT_UTC_US, 0};
static struct support_chance chance;
static struct clock clock_;
static struct random random_;
static struct event_builder builder;
static unsigned checked;

static const struct format_origin ORIGIN = {
    .severity_map = {SEVERITY_EMERGENCY, SEVERITY_ALERT, SEVERITY_CRITICAL, SEVERITY_ERROR,
                     SEVERITY_WARNING, SEVERITY_NOTICE, SEVERITY_INFORMATIONAL, SEVERITY_DEBUG},
    .hostname = "host",
    .process_id = "1",
    .engine_id = "80001f8804",
    .sequence = 1,
};

static int begin(void **state)
{
    (void)state;
    clock_ = support_clock(&now);
    random_ = support_random(&chance);
    builder = (struct event_builder){.clock = &clock_, .random = &random_};
    checked = 0;
    return 0;
}

// Fails if an output contains a forbidden character.

static bool is_harmless(const char *s, const char *allowed)
{
    static const char *const REORDER[] = {"\xd8\x9c",     "\xe2\x80\x8e", "\xe2\x80\x8f",
                                          "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaa",
                                          "\xe2\x80\xae", "\xe2\x81\xa6"};
    json_t *text = json_string(s); // NULL: not UTF-8
    bool good = text != NULL;
    json_decref(text);
    for (const unsigned char *p = (const unsigned char *)s; *p; p++) {
        bool control = *p < 0x20 || *p == 0x7f || (*p == 0xc2 && p[1] < 0xa0);
        good = good && (!control || strchr(allowed, *p));
    }
    for (size_t i = 0; i < COUNT(REORDER); i++)
        good = good && !strstr(s, REORDER[i]);
    return good;
}

static void check_harmless(const char *s, const char *allowed)
{
    if (!is_harmless(s, allowed))
        fail_msg("harmful: %s", s);
}

// Each format, parsed as a receiver parses it, contains the event's text and name.

static void check_member(const json_t *object, const char *key, const char *expected)
{
    const char *value = json_string_value(json_object_get(object, key));
    assert_string_equal(value ? value : "", expected);
}

static void check_json(const char *line, const struct event *e)
{
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(object);
    check_member(object, "text", e->text);
    check_member(object, "subjectName", e->subject.name);
    check_member(object, "severity", severity_word(e->severity));
    json_decref(object);
}

static void check_ecs(const char *line, const struct event *e)
{
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(object);
    check_member(object, "message", e->text);
    check_member(json_object_get(object, "host"), "name", e->subject.name);
    json_decref(object);
}

static void check_cloudevents(const char *line, const struct event *e)
{
    json_t *object = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(object);
    check_member(object, "id", e->id);
    check_member(object, "subject", e->subject.name);
    check_member(json_object_get(object, "data"), "text", e->text);
    check_member(json_object_get(object, "data"), "subjectName", e->subject.name);
    json_decref(object);
}

// Reads up to an unescaped character of `ends` and removes the escapes.
static const char *unescape(const char *p, const char *ends, char *out)
{
    while (*p && !strchr(ends, *p)) {
        if (*p == '\\' && p[1])
            p++;
        *out++ = *p++;
    }
    *out = '\0';
    return p;
}

static void check_rfc5424(const char *line, const struct event *e)
{
    char name[64], value[FORMAT_SIZE];
    const char *p = line;
    bool named = e->subject.name[0] == '\0';
    for (int i = 0; i < 6; i++)
        p = strchr(p, ' ') + 1;
    while (*p == '[') {
        p += strcspn(p, " ]");
        while (*p == ' ') {
            int length = 0;
            assert_int_equal(sscanf(p, " %32[a-zA-Z0-9]=\"%n", name, &length), 1);
            p = unescape(p + length, "\"]", value);
            assert_int_equal(*p++, '"');
            if (strcmp(name, "subjectName") == 0)
                named = strcmp(value, e->subject.name) == 0;
            assert_string_not_equal(name, "x"); // the forged parameter
        }
        assert_int_equal(*p++, ']');
    }
    assert_true(named);
    assert_int_equal(*p++, ' ');
    p += strncmp(p, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    assert_string_equal(p, e->text);
}

// The values of the keys in order; a key is the word before an unescaped equals sign.
static void check_cef(const char *line, const struct event *e)
{
    char field[FORMAT_SIZE], value[FORMAT_SIZE];
    const char *p = line;
    unsigned messages = 0;
    for (int i = 0; i < 7; i++)
        p = unescape(p, "|", field) + 1;
    while (*p) {
        size_t key = strcspn(p, "=");
        assert_int_equal(p[key], '=');
        bool is_message = strncmp(p, "msg=", 4) == 0;
        const char *begin = p + key + 1, *end = unescape(begin, "=", value);
        while (*end && *end != ' ') // back to the blank before the next key
            end--;
        snprintf(field, sizeof field, "%.*s", (int)(end - begin), begin);
        unescape(field, "", value);
        if (is_message)
            assert_string_equal(value, e->text);
        messages += is_message;
        p = *end ? end + 1 : end;
    }
    assert_int_equal(messages, 1);
}

static void check_leef(const char *line, const struct event *e)
{
    char copy[FORMAT_SIZE];
    unsigned messages = 0, severities = 0;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *pair = strtok(copy, "\t"); pair; pair = strtok(NULL, "\t")) {
        assert_non_null(strchr(pair, '='));
        severities += strncmp(pair, "sev=", 4) == 0;
        if (strncmp(pair, "msg=", 4) == 0) {
            assert_string_equal(pair + 4, e->text);
            messages++;
        }
    }
    assert_int_equal(messages, 1);
    assert_int_equal(severities, 1);
}

static void check_formats(const struct event *e)
{
    static void (*const CHECKS[FORMAT_COUNT])(const char *, const struct event *) = {
        [FORMAT_RFC5424] = check_rfc5424, [FORMAT_ECS] = check_ecs,
        [FORMAT_CEF] = check_cef,         [FORMAT_LEEF] = check_leef,
        [FORMAT_JSON] = check_json,       [FORMAT_CLOUDEVENTS] = check_cloudevents,
    };
    char buffer[FORMAT_SIZE];
    for (int i = 0; i < FORMAT_COUNT; i++) {
        struct text t = text_in(buffer, sizeof buffer);
        format_line(&t, (enum format)i, &ORIGIN, e);
        check_harmless(buffer, i == FORMAT_LEEF ? "\t" : "");
        if (CHECKS[i])
            CHECKS[i](buffer, e);
    }
}

// Names and texts are SnmpAdminStrings; other varbinds are octets.
static void check_varbinds(const struct event *e)
{
    const struct mib_notification *const ALL[] = {e->type->own, &MIB_EXTRA};
    for (size_t k = 0; k < COUNT(ALL); k++) {
        for (unsigned i = 0; ALL[k] && i < MIB_OBJECTS_MAX && ALL[k]->objects[i]; i++) {
            struct mib_varbind v;
            char text[MIB_VALUE_MAX + 1];
            mib_encode(ALL[k]->objects[i], e, &v);
            bool is_text = strstr(ALL[k]->objects[i]->name, "Name") ||
                           strstr(ALL[k]->objects[i]->name, "Text") ||
                           strstr(ALL[k]->objects[i]->name, "Reason");
            if (v.syntax != MIB_OCTETS || !is_text)
                continue;
            assert_null(memchr(v.octets, '\0', v.size));
            snprintf(text, sizeof text, "%.*s", (int)v.size, (const char *)v.octets);
            check_harmless(text, "");
        }
    }
}

static void check_event(const struct event *e)
{
    check_harmless(e->subject.name, "");
    check_harmless(e->peer.name, "");
    check_harmless(e->text, "");
    check_harmless(e->reason, "");
    check_harmless(e->alarm_key, "");
    check_formats(e);
    check_varbinds(e);
    checked++;
}

static void check_changes(const struct fabric *before, const struct fabric *after)
{
    struct changes changes = {0};
    changes_between(before, after, NULL, &changes);
    for (uint32_t i = 0; i < changes.count; i++) {
        struct event *e = event_builder_from_change(&builder, &changes.all[i], false, NULL, NULL);
        assert_non_null(e);
        check_event(e);
        event_unref(e);
    }
    changes_clear(&changes);
}

// What ibtrapctl prints.

static void check_printed(char *printed, bool is_topology)
{
    check_harmless(printed, "\t\n");
    for (char *line = strtok(printed, "\n"); line; line = strtok(NULL, "\n")) {
        const char *comment = is_topology ? strchr(line, '#') : NULL;
        unsigned quotes = 0;
        for (; comment && *comment; comment++)
            quotes += *comment == '"';
        assert_in_range(quotes, 0, 2); // the quotes around the name
    }
    free(printed);
}

static void check_topology(struct fabric *before, struct fabric *after)
{
    const struct fabric_request from = {.fabric = before, .number = 1},
                                to = {.fabric = after,
                                      .systems = describe_systems(after, NULL, NULL),
                                      .number = 2};
    char *printed = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&printed, &size);
    topology_commands_write_json(out, &to);
    fclose(out);
    json_t *page = json_loads(printed, 0, NULL);
    assert_int_equal(json_array_size(json_object_get(page, "nodes")), after->node_count);
    json_decref(page);
    free(printed);
    out = open_memstream(&printed, &size);
    topology_commands_write(out, &to);
    fclose(out);
    check_printed(printed, true);
    out = open_memstream(&printed, &size);
    topology_commands_write_changes(out, false, &from, &to);
    fclose(out);
    check_printed(printed, false);
    systems_unref(to.systems);
}

// The fabric.

static struct fabric *look(void)
{
    atomic_bool stop = false;
    struct sweep sweep = {.complete = true,
                          .random = &f.random,
                          .requests = {.io = fake_port_io(&f.port),
                                       .in_flight = 8,
                                       .attempts = 3,
                                       .timeout_us = CLOCK_US_PER_S,
                                       .clock = &f.port.clock,
                                       .stop = &stop}};
    struct fabric_builder *fabric = fabric_builder_new();
    assert_true(sweep_smp(&sweep, fabric, &err));
    struct fabric *seen = fabric_builder_finish(fabric, SUPPORT_UTC_US, 0, sweep.complete);
    assert_non_null(seen);
    return seen;
}

static void name_all(size_t which)
{
    for (int i = 0; i < f.count; i++) {
        memset(f.nodes[i].description, 0, sizeof f.nodes[i].description);
        memcpy(f.nodes[i].description, NAMES[which].octets, NAMES[which].size);
    }
}

// A switch with three hosts; one disappears, another moves.
static void build(void)
{
    fake_fabric_init(&f, 1);
    int leaf = fake_fabric_add(&f, FABRIC_SWITCH, 8);
    for (uint8_t port = 1; port <= 3; port++)
        fake_fabric_link(&f, fake_fabric_add(&f, FABRIC_CA, 1), 1, leaf, port);
    f.own = 1;
}

static void check_fabrics(struct fabric *before, struct fabric *after)
{
    check_changes(before, after);
    check_changes(after, before);
    check_topology(before, after);
    fabric_unref(before);
    fabric_unref(after);
}

TEST(whatever_nodes_call_themselves)
{
    for (size_t i = 0; i < COUNT(NAMES); i++) {
        build();
        name_all(i);
        struct fabric *before = look();
        fake_fabric_unlink(&f, 2, 1);
        fake_fabric_unlink(&f, 3, 1);
        fake_fabric_link(&f, 3, 1, 0, 7);
        check_fabrics(before, look());
    }
    assert_in_range(checked, 4 * COUNT(NAMES), 100 * COUNT(NAMES));
}

TEST(whatever_nodes_are_renamed_to)
{
    for (size_t i = 1; i < COUNT(NAMES); i++) {
        build();
        name_all(i - 1);
        struct fabric *before = look();
        name_all(i);
        check_fabrics(before, look());
    }
    assert_in_range(checked, 8 * (COUNT(NAMES) - 1), 100 * COUNT(NAMES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(whatever_nodes_call_themselves, begin),
        cmocka_unit_test_setup(whatever_nodes_are_renamed_to, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
