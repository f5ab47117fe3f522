// SPDX-License-Identifier: BSD-2-Clause
#include "event/template.h"

#include "base/clock.h"
#include "base/text.h"
#include "model/catalogue.h"
#include "model/counter.h"
#include "model/fabric.h"
#include "model/field.h"
#include "model/notice.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

// Adds what a node without a name is called, "the host at leaf3 port 12", but no second word for
// its type: "Host at leaf3 port 12 left the fabric".
static void template_add_place(struct text *t, const struct endpoint *who)
{
    const size_t length = strcspn(who->name, " ");
    const bool has_word = t->len > length && t->buf[t->len - 1] == ' ' &&
                          strncasecmp(t->buf + t->len - 1 - length, who->name, length) == 0;
    if (!has_word)
        text_add(t, t->len == 0 ? "The " : "the ");
    text_add(t, who->name + (has_word ? length + 1 : 0));
}

bool template_name(struct text *t, const struct endpoint *who)
{
    char guid[ADDRESS_GUID_TEXT_SIZE], gid[ADDRESS_GID_TEXT_SIZE];
    bool first = t->len == 0, is_node = who->guid == 0 || who->guid == who->node_guid;
    if (who->nameless) {
        template_add_place(t, who);
    } else if (who->name[0] != '\0') {
        text_add(t, who->name);
    } else if (who->guid != 0 || who->node_guid != 0) {
        address_format_guid(is_node ? who->node_guid : who->guid, guid);
        text_add(t, is_node ? (first ? "Node" : "node") : (first ? "Port" : "port"));
        text_addf(t, " GUID %s", guid);
    } else if (!address_gid_is_zero(who->gid)) {
        address_format_gid(who->gid, gid);
        text_addf(t, "GID %s", gid);
    } else {
        return false;
    }
    return true;
}

// Adds "leaf12 (LID 3)", "LID 3" or "an unknown node". False: nothing is known.
static bool template_add_endpoint(struct text *t, const struct endpoint *who)
{
    bool first = t->len == 0, named = template_name(t, who);
    if (who->lid != 0)
        text_addf(t, named ? " (LID %u)" : "LID %u", (unsigned)who->lid);
    else if (!named)
        text_add(t, first ? "An unknown node" : "an unknown node");
    return named || who->lid != 0;
}

// Adds "port 17 of leaf12 (LID 3)", or only the node if the port is unknown or the port 0 of a
// switch.
static bool template_add_end(struct text *t, const struct endpoint *who)
{
    if (who->port != 0)
        text_addf(t, "%sort %u of ", t->len == 0 ? "P" : "p", (unsigned)who->port);
    return template_add_endpoint(t, who);
}

// Adds the subject's neighbour: "to port 2 of spine1 (LID 4)" if the subject is an end of a link,
// "on port 3 of leaf1 (LID 2)" if it is a node. False: unknown.
static bool template_add_neighbour(struct text *t, const struct event *event)
{
    text_add(t, event->subject.port != 0 ? "to " : "on ");
    return template_add_end(t, &event->peer);
}

// The part of the subject's name that tells the parts of its system apart: "mlx5_3" of "gpu17
// mlx5_3".
static const char *template_part_name(const struct endpoint *who)
{
    const char *system = who->system[0] != '\0' ? strstr(who->name, who->system) : NULL;
    const char *rest = system ? system + strlen(who->system) : "";
    return rest[0] != '\0' && strchr(" :/-_.", rest[0]) && rest[1] != '\0' ? rest + 1 : who->name;
}

// Whether the row is one about switches, not about hosts.
static bool template_is_about_switch(const struct event *event)
{
    const struct catalogue_entry *row = event->summarised ? event->summarised : event->type;
    return row->test.subject != FABRIC_CA;
}

// Adds "Host gpu17", "Host node1 (LID 4)" or "1 of 8 adapters of gpu17 (mlx5_3, port 12 of leaf4)".
static void template_add_system(struct text *t, const struct event *event)
{
    const struct endpoint *who = &event->subject, *peer = &event->peer;
    const bool is_switch = template_is_about_switch(event);
    const bool partial = event->parts_changed < event->parts && event->parts_changed > 0;
    if (partial)
        text_addf(t, "%u of %u %s of ", event->parts_changed, event->parts,
                  is_switch ? "ASICs" : "adapters");
    else
        text_add(t, is_switch ? "Switch " : "Host ");
    if (event->parts_changed == 0 || who->system[0] == '\0')
        template_add_endpoint(t, who);
    else
        text_add(t, who->system);
    if (!partial || event->parts_changed > 1)
        return;
    text_addf(t, " (%s", template_part_name(who));
    if (!is_switch && peer->port != 0 && peer->name[0] != '\0')
        text_addf(t, ", port %u of %s", peer->port, peer->name);
    text_add(t, ")");
}

// Adds what does not come to rest: "Host gpu17" if several parts of a system come and go together,
// else the subject and, if known, its neighbour.
static void template_add_restless(struct text *t, const struct event *event)
{
    if (event->parts_changed > 1) {
        template_add_system(t, event);
        return;
    }
    template_add_end(t, &event->subject);
    const struct text before = *t;
    text_add(t, " ");
    if (!template_add_neighbour(t, event))
        text_go_back(t, &before);
}

// Adds "with all 8 adapters". False: the event is not about all of several parts.
static bool template_add_whole(struct text *t, const struct event *event)
{
    text_addf(t, "with all %u %s", event->parts,
              template_is_about_switch(event) ? "ASICs" : "adapters");
    return event->parts > 1 && event->parts_changed == event->parts;
}

// Adds "SubnSet(PortInfo)", with numbers where there are no words: "method 0x58 (PortInfo)".
static void template_add_request(struct text *t, const struct notice *n)
{
    const char *method = notice_method_word(n->method);
    const char *attribute = notice_attribute_word(n->attribute);
    if (method)
        text_add(t, method);
    else
        text_addf(t, "method 0x%02x ", (unsigned)n->method);
    if (attribute)
        text_addf(t, "(%s)", attribute);
    else
        text_addf(t, "(attribute 0x%04x)", (unsigned)n->attribute);
}

static void template_add_changes(struct text *t, const struct notice *n)
{
    size_t before = t->len;
    notice_add_changes(t, n->change_flags);
    if (t->len == before)
        text_add(t, n->local_changes ? "local settings" : "capability mask");
}

static uint64_t template_growth(const struct event *event)
{
    return counter_growth(event->counter_old, event->counter_new);
}

static bool template_add_derivation(struct text *t, const struct event *event)
{
    if (event->derived)
        text_addf(t, "no trap told of it: its counter %s grew by %" PRIu64 " to %" PRIu64,
                  counter_name((enum counter)event->counter), template_growth(event),
                  event->counter_new);
    return event->derived;
}

static bool template_add_late(struct text *t, const struct event *event)
{
    if (event->found_late)
        text_add(t, "while ibtrapd was away");
    return event->found_late;
}

// Adds "1 event" or "12 events", with the events' kind before the word if there is one.
static void template_add_events(struct text *t, uint64_t count, const struct catalogue_entry *kind)
{
    text_addf(t, "%" PRIu64 " %s%sevent%s", count, kind ? kind->name : "", kind ? " " : "",
              count == 1 ? "" : "s");
}

// Adds "once" or "12 times".
static void template_add_times(struct text *t, uint64_t count)
{
    if (count == 1)
        text_add(t, "once");
    else
        text_addf(t, "%" PRIu64 " times", count);
}

// Adds "1 minute" or "30 days". False: the count is 0.
static bool template_add_span(struct text *t, uint32_t count, const char *unit)
{
    text_addf(t, "%" PRIu32 " %s%s", count, unit, count == 1 ? "" : "s");
    return count > 0;
}

// Adds a time in whole seconds: "2026-11-21T03:19:03Z".
static void template_add_time(struct text *t, int64_t utc_us)
{
    enum { SECONDS = sizeof "2026-11-21T03:19:03" - 1 };
    char when[CLOCK_TEXT_SIZE];
    clock_format_utc(utc_us, when);
    text_addf(t, "%.*sZ", SECONDS, when);
}

// False: the field is zero or empty, or not known. A P_Key of zero is a value.
static bool template_add_field(struct text *t, const struct event *event, enum field field)
{
    struct field_value value = field_get(event, field);
    field_add_text(t, event, field);
    if (field == FIELD_PKEY || !field_is_known(event, field))
        return field_is_known(event, field);
    return value.is_number ? value.number != 0 : value.size > 0;
}

// Adds what a notice means by the book of the site (model/notice_book.h).
static bool template_add_meaning(struct text *t, const struct event *event)
{
    if (event->reason[0] == '\0')
        text_add(t, "; the raw notice has the details");
    else
        text_addf(t, ": %s", event->reason);
    return true;
}

static bool template_is(const char *name, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(name, word, length) == 0;
}

static const struct endpoint *template_find_endpoint(const struct event *event, const char *name,
                                                     size_t n)
{
    if (template_is(name, n, "subject"))
        return &event->subject;
    if (template_is(name, n, "issuer"))
        return &event->issuer;
    if (template_is(name, n, "source"))
        return &event->source;
    if (template_is(name, n, "destination"))
        return &event->destination;
    return template_is(name, n, "peer") ? &event->peer : NULL;
}

// False: the placeholder's value is empty.
static bool template_add_placeholder(struct text *t, const struct event *event, const char *name,
                                     size_t n)
{
    const struct endpoint *who = template_find_endpoint(event, name, n);
    if (who)
        return template_add_endpoint(t, who);
    if (template_is(name, n, "subjectEnd"))
        return template_add_end(t, &event->subject);
    if (template_is(name, n, "peerEnd"))
        return template_add_end(t, &event->peer);
    if (template_is(name, n, "place"))
        return template_add_end(t, &event->peer) && event->parts_changed == 0;
    if (template_is(name, n, "whole"))
        return template_add_whole(t, event);
    if (template_is(name, n, "neighbour"))
        return template_add_neighbour(t, event);
    if (template_is(name, n, "late"))
        return template_add_late(t, event);
    if (template_is(name, n, "derivation"))
        return template_add_derivation(t, event);
    if (template_is(name, n, "meaning"))
        return template_add_meaning(t, event);
    if (template_is(name, n, "minutes"))
        return template_add_span(t, event->window_min, "minute");
    if (template_is(name, n, "days"))
        return template_add_span(t, event->occasion_days, "day");
    if (template_is(name, n, "system"))
        template_add_system(t, event);
    else if (template_is(name, n, "restless"))
        template_add_restless(t, event);
    else if (template_is(name, n, "request"))
        template_add_request(t, &event->notice);
    else if (template_is(name, n, "changes"))
        template_add_changes(t, &event->notice);
    else if (template_is(name, n, "growth"))
        text_addf(t, "%" PRIu64, template_growth(event));
    else if (template_is(name, n, "times"))
        template_add_times(t, event->repeat_count);
    else if (template_is(name, n, "since"))
        template_add_time(t, event->since_us);
    else if (template_is(name, n, "summarisedEvents"))
        template_add_events(t, event->repeat_count, event->summarised);
    else if (template_is(name, n, "lostEvents"))
        template_add_events(t, event->lost, NULL);
    else
        return template_add_field(t, event, field_find(name, n));
    return true;
}

// Adds the template from `p` to `end`. False: a placeholder has an empty value.
static bool template_expand(struct text *t, const struct event *event, const char *p,
                            const char *end)
{
    bool all = true;
    while (p < end) {
        const char *open = memchr(p, '{', (size_t)(end - p));
        text_add_n(t, p, (size_t)((open ? open : end) - p));
        if (!open)
            break;
        const char *close = memchr(open, '}', (size_t)(end - open));
        assert(close);
        if (!template_add_placeholder(t, event, open + 1, (size_t)(close - open - 1)))
            all = false;
        p = close + 1;
    }
    return all;
}

// Adds the text in brackets, or nothing if one of its placeholders is empty.
static void template_expand_option(struct text *t, const struct event *event, const char *p,
                                   const char *end)
{
    const struct text before = *t;
    if (template_expand(t, event, p, end))
        return;
    text_go_back(t, &before);
}

void template_explain(struct event *event)
{
    struct text t = text_in(event->text, sizeof event->text);
    const char *p = event->type->text, *open;
    while ((open = strchr(p, '[')) != NULL) {
        const char *close = strchr(open, ']');
        assert(close);
        template_expand(&t, event, p, open);
        template_expand_option(&t, event, open + 1, close);
        p = close + 1;
    }
    template_expand(&t, event, p, p + strlen(p));
}
