// SPDX-License-Identifier: BSD-2-Clause
// Events for systemd's journal by the journal's own protocol: every field of an event is a field of
// the entry, and `journalctl IBTRAPD_NODE=leaf1` finds all events about a node
// (systemd.journal-fields(7), "Journal Native Protocol").
#include "sink/format.h"

#include "base/clock.h"
#include "model/catalogue.h"
#include "model/field.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Both sockets are in one directory: /run/systemd/journal, or that of a namespace behind a dot.
bool format_journald_socket(const char *path, char *out, size_t size)
{
    static const char HOME[] = "/run/systemd/journal", SYSLOG[] = "/dev-log";
    struct stat st;
    char *real = realpath(path, NULL);
    const char *name = real ? strrchr(real, '/') : NULL;
    const bool is_its =
        name && strncmp(real, HOME, sizeof HOME - 1) == 0 && strcmp(name, SYSLOG) == 0;
    if (is_its)
        snprintf(out, size, "%.*s/socket", (int)(name - real), real);
    free(real);
    return is_its && stat(out, &st) == 0 && S_ISSOCK(st.st_mode);
}

// The first 16 octets of a SHA-256, as a UUID of version 8 (RFC 9562 5.8).
bool format_journald_id(const char *event_name, char out[FORMAT_JOURNALD_ID_SIZE])
{
    char text[96];
    uint8_t hash[EVP_MAX_MD_SIZE];
    struct text t = text_in(out, FORMAT_JOURNALD_ID_SIZE);
    snprintf(text, sizeof text, "ibtrapd event %s", event_name);
    if (!EVP_Digest(text, strlen(text), hash, NULL, EVP_sha256(), NULL))
        return false;
    hash[6] = (uint8_t)((hash[6] & 0x0f) | 0x80);
    hash[8] = (uint8_t)((hash[8] & 0x3f) | 0x80);
    text_add_hex(&t, hash, 16);
    return true;
}

// Adds a field. No value has a line feed, and a line is enough.
static void format_journald_add(struct text *t, const char *name, const char *value)
{
    text_add(t, name);
    text_add(t, "=");
    text_add(t, value);
    text_add(t, "\n");
}

// "subjectName" becomes IBTRAPD_SUBJECT_NAME.
static void format_journald_take(void *ctx, const char *name, const char *value,
                                 enum field_kind kind)
{
    (void)kind;
    char capitals[64];
    size_t n = 0;
    for (; *name && n + 2 < sizeof capitals; name++) {
        const bool capital = *name >= 'A' && *name <= 'Z';
        if (capital)
            capitals[n++] = '_';
        capitals[n++] = *name >= 'a' && *name <= 'z' ? (char)(*name - 'a' + 'A') : *name;
    }
    capitals[n] = '\0';
    text_add(ctx, "IBTRAPD_");
    format_journald_add(ctx, capitals, value);
}

static void format_journald_add_nodes(struct text *t, const struct event *event)
{
    const char *names[FORMAT_NODES_MAX];
    const size_t count = format_node_names(event, names);
    for (size_t i = 0; i < count; i++)
        format_journald_add(t, "IBTRAPD_NODE", names[i]);
}

void format_journald(struct text *t, const struct format_origin *origin, const struct event *event)
{
    char when[CLOCK_TEXT_SIZE], id[FORMAT_JOURNALD_ID_SIZE];
    clock_format_utc(event->time_us, when);
    text_add(t, "MESSAGE=");
    format_rfc3164_content(t, event);
    text_add(t, "\nPRIORITY=");
    text_add_number(t, format_severity(origin, event));
    text_add(t, "\nSYSLOG_FACILITY=");
    text_add_number(t, origin->facility);
    text_add(t, "\nSYSLOG_IDENTIFIER=ibtrapd\n");
    format_journald_add(t, "SYSLOG_PID", origin->process_id);
    if (format_journald_id(event->type->name, id))
        format_journald_add(t, "MESSAGE_ID", id);
    format_journald_add_nodes(t, event);
    format_journald_take(t, field_name(FIELD_TIME), when, FIELD_IS_TEXT);
    format_fields(event, format_journald_take, t);
}
