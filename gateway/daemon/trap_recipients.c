// SPDX-License-Identifier: BSD-2-Clause
#include "daemon/trap_recipients.h"

#include "base/memory.h"
#include "base/text.h"
#include "conf/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char PREFIX[] = "recipient-";

// A row of gswAgtCmtyTable with a community and an address.
struct row {
    const struct setting *community, *address;
    // Number of its receiver among the different receivers; TRAP_RECIPIENTS_MAX: no room.
    size_t receiver;
};

struct rows {
    struct row *all;
    size_t count;
};

bool trap_recipients_are_named(const char *receiver)
{
    return strncmp(receiver, PREFIX, sizeof PREFIX - 1) == 0;
}

static bool trap_recipients_same_value(const struct setting *a, const struct setting *b)
{
    return a->size == b->size && memcmp(a->value, b->value, a->size) == 0;
}

static bool trap_recipients_same_receiver(const struct row *a, const struct row *b)
{
    return trap_recipients_same_value(a->address, b->address) &&
           trap_recipients_same_value(a->community, b->community);
}

static struct rows trap_recipients_find_rows(const struct settings *settings)
{
    struct rows out = {.all = memory_zeroed(settings_count(settings) + 1, sizeof *out.all)};
    for (size_t i = 0; i < settings_count(settings); i++) {
        const struct setting *s = settings_at(settings, i);
        const struct setting *address =
            settings_find(settings, SETTING_TRAP_RECIPIENT, s->guid, s->number);
        if (s->kind == SETTING_COMMUNITY && address && address->size == 4)
            out.all[out.count++] = (struct row){.community = s, .address = address};
    }
    return out;
}

// Numbers the different receivers: `first` gets the first row of each. Returns how many there are;
// TRAP_RECIPIENTS_MAX + 1: too many.
static size_t trap_recipients_number_receivers(struct rows *rows,
                                               const struct row *first[TRAP_RECIPIENTS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        struct row *row = &rows->all[i];
        size_t r = 0;
        while (r < count && r < TRAP_RECIPIENTS_MAX &&
               !trap_recipients_same_receiver(first[r], row))
            r++;
        row->receiver = r;
        if (r == count && r < TRAP_RECIPIENTS_MAX)
            first[count++] = row;
        else if (r == TRAP_RECIPIENTS_MAX)
            count = TRAP_RECIPIENTS_MAX + 1;
    }
    return count;
}

// Returns the switches whose rows have the receiver.
static struct guid_set *trap_recipients_group_of(const struct rows *rows, size_t receiver)
{
    uint64_t *guids = memory_zeroed(rows->count, sizeof *guids);
    size_t n = 0;
    for (size_t i = 0; i < rows->count; i++) {
        if (rows->all[i].receiver == receiver)
            guids[n++] = rows->all[i].community->guid;
    }
    struct guid_set *group = guid_set_make(guids, n);
    free(guids);
    return group;
}

// FNV-1a with 32 bits, folded to 16. Do not change it: a recipient's name has to be the same in
// every release.
static unsigned trap_recipients_digest_of(const struct setting *community)
{
    uint32_t h = UINT32_C(2166136261);
    for (size_t i = 0; i < community->size; i++)
        h = (h ^ community->value[i]) * UINT32_C(16777619);
    return (h ^ h >> 16) & 0xFFFF;
}

const struct conf_receiver *trap_recipients_find(const struct trap_recipients *recipients,
                                                 const char *name)
{
    for (size_t i = 0; i < recipients->count; i++) {
        if (strcmp(recipients->all[i].name, name) == 0)
            return &recipients->all[i];
    }
    return NULL;
}

static void trap_recipients_make_name(const struct trap_recipients *before, const char *host,
                                      const struct setting *community, char out[CONF_NAME_SIZE])
{
    unsigned digest = trap_recipients_digest_of(community);
    do
        snprintf(out, CONF_NAME_SIZE, "%s%s-%04x", PREFIX, host, digest++ & 0xFFFF);
    while (trap_recipients_find(before, out));
}

static void trap_recipients_add(struct trap_recipients *out, const struct row *row, uint16_t port,
                                struct guid_set *group)
{
    const uint8_t *a = row->address->value;
    struct conf_receiver *r = &out->all[out->count];
    conf_receiver_init(r, CONF_SNMP, "");
    snprintf(r->host, sizeof r->host, "%u.%u.%u.%u", a[0], a[1], a[2], a[3]);
    trap_recipients_make_name(out, r->host, row->community, r->name);
    r->transport = TRANSPORT_UDP;
    r->port = port;
    r->filter.trap_group = group;
    r->filter.each_part = 1;
    r->snmp.version = 1;
    r->snmp.sets = SNMP_SET_SWITCH | SNMP_SET_EVENT;
    memset(r->snmp.community, 0, sizeof r->snmp.community);
    memcpy(r->snmp.community, row->community->value, row->community->size);
    out->count++;
}

bool trap_recipients_of(const struct settings *settings, uint16_t port, struct trap_recipients *out,
                        struct error *err)
{
    struct rows rows = trap_recipients_find_rows(settings);
    const struct row *first[TRAP_RECIPIENTS_MAX];
    size_t count = trap_recipients_number_receivers(&rows, first);
    size_t room = count < TRAP_RECIPIENTS_MAX ? count : TRAP_RECIPIENTS_MAX;
    *out = (struct trap_recipients){.all = memory_zeroed(room + 1, sizeof *out->all)};
    for (size_t i = 0; i < room; i++)
        trap_recipients_add(out, first[i], port, trap_recipients_group_of(&rows, i));
    free(rows.all);
    return count <= TRAP_RECIPIENTS_MAX ||
           error_set(err, "there are more than %d trap recipients", (int)TRAP_RECIPIENTS_MAX);
}

void trap_recipients_clear(struct trap_recipients *recipients)
{
    for (size_t i = 0; i < recipients->count; i++)
        guid_set_unref(recipients->all[i].filter.trap_group);
    if (recipients->all) // wipe the communities
        explicit_bzero(recipients->all, recipients->count * sizeof *recipients->all);
    free(recipients->all);
    *recipients = (struct trap_recipients){0};
}

static bool trap_recipients_same_group(const struct guid_set *a, const struct guid_set *b)
{
    return a && b ? guid_set_equal(a, b) : a == b;
}

// memcmp is right for all members but the trap group: the others hold no pointers.
bool trap_recipients_equal(const struct conf_receiver *running, const struct conf_receiver *wanted)
{
    const size_t group = offsetof(struct conf_receiver, filter.trap_group);
    const size_t rest = group + sizeof running->filter.trap_group;
    return trap_recipients_same_group(running->filter.trap_group, wanted->filter.trap_group) &&
           memcmp(running, wanted, group) == 0 &&
           memcmp((const char *)running + rest, (const char *)wanted + rest,
                  sizeof *running - rest) == 0;
}
