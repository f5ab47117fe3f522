#include "event/template.h"

#include "base/text.h"
#include "model/catalogue.h"
#include "model/words.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

// "leaf12 (LID 3)", "port GUID 0x0002c90300001234 (LID 3)", "LID 3": the best name first. What begins
// the sentence begins with a capital, unless it is a name that people gave.
static void add_endpoint(struct text *t, const struct endpoint *who)
{
    char guid[ADDRESS_GUID_TEXT_SIZE], gid[ADDRESS_GID_TEXT_SIZE];
    bool named = true, first = t->len == 0;
    if (who->name[0] != '\0') {
        text_add(t, who->name);
    } else if (who->guid != 0) {
        address_format_guid(who->guid, guid);
        text_addf(t, "%sort GUID %s", first ? "P" : "p", guid);
    } else if (!address_gid_is_zero(who->gid)) {
        address_format_gid(who->gid, gid);
        text_addf(t, "GID %s", gid);
    } else {
        named = false;
    }
    if (who->lid != 0)
        text_addf(t, named ? " (LID %u)" : "LID %u", (unsigned)who->lid);
    else if (!named)
        text_add(t, first ? "An unknown node" : "an unknown node");
}

// "SubnSet(PortInfo)", or numbers where there are no words.
static void add_request(struct text *t, const struct notice *n)
{
    const char *method = words_smp_method(n->method);
    const char *attribute = words_smp_attribute(n->attribute);
    if (method)
        text_add(t, method);
    else
        text_addf(t, "method 0x%02x", (unsigned)n->method);
    if (attribute)
        text_addf(t, "(%s)", attribute);
    else
        text_addf(t, "(attribute 0x%04x)", (unsigned)n->attribute);
}

static void add_changes(struct text *t, const struct notice *n)
{
    size_t before = t->len;
    words_add_change_flags(t, n->change_flags);
    if (t->len == before)
        text_add(t, n->local_changes ? "local settings" : "capability mask");
}

static void add_valid(struct text *t, const struct notice *n)
{
    size_t before = t->len;
    words_add_data_valid(t, n->data_valid);
    if (t->len == before)
        text_add(t, "nothing");
}

static bool is(const char *name, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(name, word, length) == 0;
}

static void add_placeholder(struct text *t, const struct event *event, const char *name, size_t n)
{
    if (is(name, n, "subject")) {
        add_endpoint(t, &event->subject);
    } else if (is(name, n, "issuer")) {
        add_endpoint(t, &event->issuer);
    } else if (is(name, n, "source")) {
        add_endpoint(t, &event->source);
    } else if (is(name, n, "destination")) {
        add_endpoint(t, &event->destination);
    } else if (is(name, n, "request")) {
        add_request(t, &event->notice);
    } else if (is(name, n, "changes")) {
        add_changes(t, &event->notice);
    } else if (is(name, n, "valid")) {
        add_valid(t, &event->notice);
    } else {
        enum field field = field_find(name, n);
        assert(field != FIELD_NONE);
        field_add_text(t, event, field);
    }
}

void template_explain(struct event *event)
{
    struct text t = text_in(event->text, sizeof event->text);
    const char *p = event->type->text;
    while (*p) {
        const char *open = strchr(p, '{');
        if (!open) {
            text_add(&t, p);
            break;
        }
        const char *close = strchr(open, '}');
        assert(close);
        text_add_n(&t, p, (size_t)(open - p));
        add_placeholder(&t, event, open + 1, (size_t)(close - open - 1));
        p = close + 1;
    }
}
