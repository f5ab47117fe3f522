// SPDX-License-Identifier: BSD-2-Clause
// Sets of arbitrary values for the writable objects of a made-up gateway, and for others, in all
// phases. Committed values are valid, equal to the requested values, and committed in a single
// call; a refused or undone Set leaves settings and questions for paths unchanged. The input is a
// list of Sets: an octet that says how they go on, the number of varbinds, and for each a name, a
// type and a value.
#include "fuzz.h"
#include "input.h"

#include "agent/paths.h"
#include "agent/set.h"
#include "looks.h"
#include "made_snapshot.h"
#include "support_clock.h"
#include "tables/tables.h"

enum { NAMES_MAX = 4096, SETS_MAX = 16, VARBINDS_MAX = 5, SESSIONS = 3 };

static struct agent_snapshot *snapshot;
static struct agentx_oid writable[NAMES_MAX]; // the names of all writable objects
static size_t writable_count;
static struct set set;
static struct log *log_;

static struct agentx_varbind varbinds[VARBINDS_MAX];
static size_t count;
static size_t wanted[VARBINDS_MAX], wanted_count; // varbinds that are settings
static struct paths *paths;
static struct path_list {
    struct path_request rows[PATHS_MAX];
    size_t count;
} paths_before;
static unsigned calls; // of `change`
static bool refuses;   // the journal does

static void check_value(const struct setting *s, const struct agentx_value *value)
{
    size_t size = value->size;
    REQUIRE(setting_is_valid(s));
    if (s->kind == SETTING_EVENT_TRAP_LEVEL) {
        REQUIRE(value->type == AGENTX_INTEGER && s->size == 1 && s->value[0] == value->number);
        return;
    }
    if (s->kind == SETTING_TRAP_RECIPIENT) {
        REQUIRE(value->type == AGENTX_IP_ADDRESS && size == 4);
        if (s->size == 0)
            REQUIRE(memcmp(value->octets, "\0\0\0", 4) == 0);
    } else {
        REQUIRE(value->type == AGENTX_OCTETS);
        while (s->kind != SETTING_COMMUNITY && size > 0 && value->octets[size - 1] == '\0')
            size--;
    }
    REQUIRE(s->size == 0 || (s->size == size && memcmp(s->value, value->octets, size) == 0));
    REQUIRE(s->size > 0 || size == 0 || s->kind == SETTING_TRAP_RECIPIENT);
}

static bool undoing;

static bool change(void *ctx, const struct setting *changes, size_t n, const char *who,
                   struct error *err)
{
    (void)ctx, (void)who;
    calls++;
    REQUIRE(n == wanted_count && n > 0);
    for (size_t i = 0; i < n && !undoing; i++)
        check_value(&changes[i], &varbinds[wanted[i]].value);
    struct settings *next = refuses ? NULL : settings_with(snapshot->settings, changes, n);
    if (!next)
        return error_set(err, "refused");
    settings_unref(snapshot->settings);
    snapshot->settings = next;
    return true;
}

// The rows of a table that Sets make: one that there is, and others.
static void add_rows(const struct agentx_oid *found)
{
    for (uint32_t session = 0; session < SESSIONS; session++) {
        REQUIRE(writable_count < NAMES_MAX);
        writable[writable_count] = *found;
        writable[writable_count++].ids[found->length - 1] += session;
    }
}

static void start(void)
{
    const struct agentx_oid end = {.length = 0};
    struct agentx_oid name = {.length = 0}, found;
    struct agentx_value value;
    snapshot = made_view();
    log_ = log_open(fopen("/dev/null", "we"), LOG_LEVEL_ERROR, false, &SUPPORT_STOPPED);
    REQUIRE(snapshot && log_);
    for (; looks_next(&TABLES, snapshot, &name, false, &end, &found, &value); name = found) {
        struct agentx_oid index;
        if (table_find_creatable(&TABLES, &found, &index))
            add_rows(&found);
        struct look look = look_at(snapshot);
        if (table_find_writable(&TABLES, &look, &found) != AGENTX_NO_ERROR)
            continue;
        REQUIRE(writable_count < NAMES_MAX);
        writable[writable_count++] = found;
    }
    REQUIRE(writable_count > 0);
    set_init(&set, &(struct set_options){.tables = &TABLES,
                                         .writable = true,
                                         .change = change,
                                         .who = "the fuzzer",
                                         .demand = &snapshot->source->demand,
                                         .log = log_});
}

static void read_varbind(struct input *in, struct agentx_varbind *out)
{
    static const enum agentx_type TYPES[] = {AGENTX_OCTETS, AGENTX_INTEGER,  AGENTX_IP_ADDRESS,
                                             AGENTX_OCTETS, AGENTX_OID,      AGENTX_NULL,
                                             AGENTX_OPAQUE, AGENTX_COUNTER64};
    const uint64_t how = input_number(in, 1);
    size_t size;
    memset(&out->value, 0, sizeof out->value);
    out->name = writable[input_number(in, 2) % writable_count];
    if (how & 8) // a name near it
        out->name.ids[out->name.length - 1 - (how >> 4) % 4] ^= 1U << (how >> 6);
    out->value.type = TYPES[how % 8];
    const uint8_t *octets = input_part(in, how >> 7 ? 2 : 1, &size);
    agentx_value_set_octets(&out->value, octets, size);
    if (out->value.type == AGENTX_INTEGER)
        out->value.number = size > 4 ? INT32_MIN : (int32_t)wire_get(octets, size);
}

static bool is_same(const struct settings *a, const struct settings *b)
{
    const size_t n = a ? settings_count(a) : 0;
    bool same = n == (b ? settings_count(b) : 0);
    for (size_t i = 0; same && i < n; i++) {
        const struct setting *x = settings_at(a, i), *y = settings_at(b, i);
        same = x->kind == y->kind && x->guid == y->guid && x->number == y->number &&
               x->size == y->size && memcmp(x->value, y->value, x->size) == 0;
    }
    return same;
}

static bool is_row(const struct agentx_oid *name)
{
    struct agentx_oid index;
    return table_find_creatable(&TABLES, name, &index) != NULL;
}

// A manager that asks now gets an object of the right type, and the LED's new state.
static void check_names(void)
{
    struct agentx_value value;
    for (size_t i = 0; i < count; i++) {
        struct look look = look_at(snapshot);
        if (is_row(&varbinds[i].name))
            continue;
        looks_get(&TABLES, snapshot, &varbinds[i].name, &value);
        REQUIRE(value.type == varbinds[i].value.type);
        REQUIRE(table_find_writable(&TABLES, &look, &varbinds[i].name) == AGENTX_NO_ERROR);
        REQUIRE(!look.column->switches || value.number == varbinds[i].value.number);
    }
}

static void note_paths(void)
{
    paths_before.count = paths_count(paths);
    for (size_t i = 0; i < paths_before.count; i++)
        paths_before.rows[i] = *paths_at(paths, i);
}

static bool is_same_row(const struct path_request *a, const struct path_request *b)
{
    return a->prefix == b->prefix && a->session == b->session && a->active == b->active &&
           a->asked == b->asked && a->changed == b->changed && a->mask == b->mask &&
           memcmp(a->record, b->record, sizeof a->record) == 0;
}

static void check_paths_are_as_before(void)
{
    REQUIRE(paths_count(paths) == paths_before.count);
    for (size_t i = 0; i < paths_before.count; i++)
        REQUIRE(is_same_row(paths_at(paths, i), &paths_before.rows[i]));
}

// Rows ascend, and active rows can be asked.
static void check_paths(void)
{
    REQUIRE(paths_count(paths) <= PATHS_MAX);
    for (size_t i = 0; i < paths_count(paths); i++) {
        const struct path_request *row = paths_at(paths, i);
        const struct path_request *before = i > 0 ? paths_at(paths, i - 1) : NULL;
        REQUIRE(!before || before->prefix < row->prefix || before->session < row->session);
        REQUIRE(!row->active || (row->mask & 0x14 && row->mask & 0x28)); // IBA 15.2.5.16
        REQUIRE(!row->is_set && row->wanted == 0 && row->exists);
    }
}

// Finds the settings among the varbinds.
static void sort_varbinds(void)
{
    wanted_count = 0;
    for (size_t i = 0; i < count; i++) {
        struct look look = look_at(snapshot);
        if (table_find_writable(&TABLES, &look, &varbinds[i].name) == AGENTX_NO_ERROR &&
            !look.column->switches)
            wanted[wanted_count++] = i;
    }
}

static void go_on(uint64_t how, const struct settings *before)
{
    refuses = how & 1;
    undoing = false;
    calls = 0;
    const enum agentx_error error = set_commit(&set);
    REQUIRE(calls == (wanted_count > 0));
    REQUIRE(error == (refuses && wanted_count > 0 ? AGENTX_COMMIT_FAILED : AGENTX_NO_ERROR));
    REQUIRE(set.ticket == 0);
    if (error != AGENTX_NO_ERROR) {
        REQUIRE(is_same(snapshot->settings, before));
        check_paths_are_as_before();
    } else {
        check_names();
        check_paths();
    }
    refuses = false;
    undoing = true;
    if (how & 2) {
        REQUIRE(set_undo(&set) == AGENTX_NO_ERROR);
        REQUIRE(is_same(snapshot->settings, before));
        check_paths_are_as_before();
    }
}

static void try_set(struct input *in)
{
    const uint64_t how = input_number(in, 1);
    size_t failed = SIZE_MAX;
    count = (how >> 2) % (VARBINDS_MAX + 1);
    for (size_t i = 0; i < count; i++)
        read_varbind(in, &varbinds[i]);
    struct settings *before = snapshot->settings ? settings_ref(snapshot->settings) : NULL;
    calls = 0;
    sort_varbinds();
    note_paths();
    set.options.writable = how >> 5 != 7;
    struct look look = look_at(snapshot);
    const enum agentx_error error = set_test(&set, &look, "", varbinds, count, &failed);
    REQUIRE(calls == 0 && is_same(snapshot->settings, before));
    check_paths_are_as_before();
    if (error == AGENTX_NO_ERROR)
        go_on(how, before);
    else
        REQUIRE(failed < count || !set.options.writable);
    set_cleanup(&set);
    settings_unref(before);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, data + size};
    if (!snapshot)
        start();
    settings_unref(snapshot->settings);
    snapshot->settings = NULL;
    set.options.paths = paths = paths_new();
    REQUIRE(paths);
    for (unsigned n = 0; input_left(&in) > 0 && n < SETS_MAX; n++)
        try_set(&in);
    paths_free(paths);
    return 0;
}
