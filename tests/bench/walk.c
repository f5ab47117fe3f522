// SPDX-License-Identifier: BSD-2-Clause
// A manager that reads tables row by row, with a GetBulk of all columns. Prints JSON.
//
//   bench-walk [-c FILE] ADDRESS REPETITIONS ENTRY...
//
// ENTRY: the OID of a table's row. By SNMPv2c with the community "public", or with each of FILE,
// one a line. It finds the columns by itself, with the first community.
#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>

#include "base/clock.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 128, COMMUNITY_SIZE = 300 };

struct name {
    oid ids[MAX_OID_LEN];
    size_t length;
};

struct column {
    struct name at; // where the next request begins
    bool ended;
};

struct walk {
    netsnmp_session *session;
    long repetitions;
    size_t entry_length;
    struct column columns[COLUMNS_MAX];
    size_t count;
    unsigned long varbinds, requests;
    FILE *communities; // NULL: "public" alone
};

static void give_up(const char *why)
{
    fprintf(stderr, "bench-walk: %s\n", why);
    exit(EXIT_FAILURE);
}

static void set_community(struct walk *w, char *line)
{
    line[strcspn(line, "\n")] = '\0';
    free(w->session->community);
    w->session->community = (u_char *)strdup(line);
    w->session->community_len = strlen(line);
}

static netsnmp_pdu *ask(struct walk *w, netsnmp_pdu *request)
{
    netsnmp_pdu *response = NULL;
    if (!request || snmp_synch_response(w->session, request, &response) != STAT_SUCCESS ||
        !response || response->errstat != SNMP_ERR_NOERROR)
        give_up("no answer, or an error");
    w->requests++;
    return response;
}

static bool is_below(const netsnmp_variable_list *v, const oid *ids, size_t length)
{
    return v->type != SNMP_ENDOFMIBVIEW && v->name_length > length &&
           memcmp(v->name, ids, length * sizeof *ids) == 0;
}

static void set_name(struct name *name, const oid *ids, size_t length)
{
    memcpy(name->ids, ids, length * sizeof *ids);
    name->length = length;
}

// The columns that have an instance, by a GetNext for each.
static void find_columns(struct walk *w, const struct name *entry)
{
    struct name next = *entry;
    next.ids[next.length++] = 1;
    w->entry_length = entry->length;
    for (w->count = 0; w->count < COLUMNS_MAX;) {
        netsnmp_pdu *request = snmp_pdu_create(SNMP_MSG_GETNEXT);
        snmp_add_null_var(request, next.ids, next.length);
        netsnmp_pdu *response = ask(w, request);
        bool there = is_below(response->variables, entry->ids, entry->length);
        if (there)
            next.ids[entry->length] = response->variables->name[entry->length];
        snmp_free_pdu(response);
        if (!there)
            return;
        w->columns[w->count++] = (struct column){.at = next};
        next.ids[entry->length]++;
    }
}

static bool is_of(const struct walk *w, const struct column *column, const netsnmp_variable_list *v)
{
    return is_below(v, column->at.ids, w->entry_length + 1);
}

// Row by row, in the order of the requested columns.
static void take(struct walk *w, struct column **asked, size_t n, const netsnmp_variable_list *v)
{
    for (size_t i = 0; v; v = v->next_variable, i = (i + 1) % n) {
        if (asked[i]->ended)
            continue;
        asked[i]->ended = !is_of(w, asked[i], v);
        if (!asked[i]->ended) {
            set_name(&asked[i]->at, v->name, v->name_length);
            w->varbinds++;
        }
    }
}

static void read_columns(struct walk *w)
{
    struct column *asked[COLUMNS_MAX];
    for (;;) {
        netsnmp_pdu *request = snmp_pdu_create(SNMP_MSG_GETBULK);
        size_t n = 0;
        request->non_repeaters = 0;
        request->max_repetitions = w->repetitions;
        for (size_t i = 0; i < w->count; i++) {
            if (w->columns[i].ended)
                continue;
            asked[n++] = &w->columns[i];
            snmp_add_null_var(request, w->columns[i].at.ids, w->columns[i].at.length);
        }
        if (n == 0) {
            snmp_free_pdu(request);
            return;
        }
        netsnmp_pdu *response = ask(w, request);
        take(w, asked, n, response->variables);
        snmp_free_pdu(response);
    }
}

// With each community in turn.
static void read_table(struct walk *w, const struct name *entry)
{
    static struct column columns[COLUMNS_MAX];
    char line[COMMUNITY_SIZE] = "public";
    if (w->communities && !fgets(line, sizeof line, w->communities))
        give_up("no community");
    set_community(w, line);
    find_columns(w, entry);
    memcpy(columns, w->columns, sizeof columns);
    do {
        memcpy(w->columns, columns, sizeof columns);
        set_community(w, line);
        read_columns(w);
    } while (w->communities && fgets(line, sizeof line, w->communities));
    if (w->communities)
        rewind(w->communities);
}

static netsnmp_session *open_session(char *address)
{
    static u_char community[] = "public";
    netsnmp_session session;
    setenv("MIBS", "", 1);
    setenv("SNMPCONFPATH", "/nonexistent", 1);
    init_snmp("bench-walk");
    snmp_sess_init(&session);
    session.version = SNMP_VERSION_2c;
    session.peername = address;
    session.community = community;
    session.community_len = strlen("public");
    session.timeout = 10 * CLOCK_US_PER_S;
    return snmp_open(&session);
}

int main(int argc, char **argv)
{
    struct walk w = {0};
    if (argc > 2 && strcmp(argv[1], "-c") == 0) {
        if (!(w.communities = fopen(argv[2], "re")))
            give_up("cannot open the file of communities");
        argv += 2;
        argc -= 2;
    }
    if (argc < 4)
        give_up("usage: bench-walk [-c FILE] ADDRESS REPETITIONS ENTRY...");
    w.session = open_session(argv[1]);
    w.repetitions = strtol(argv[2], NULL, 10);
    if (!w.session)
        give_up("cannot open a session");
    int64_t begin = clock_monotonic(&clock_system);
    for (int i = 3; i < argc; i++) {
        struct name entry = {.length = MAX_OID_LEN};
        if (!snmp_parse_oid(argv[i], entry.ids, &entry.length))
            give_up("no OID");
        read_table(&w, &entry);
    }
    double seconds = (double)(clock_monotonic(&clock_system) - begin) / CLOCK_US_PER_S;
    printf("{\"varbinds\": %lu, \"requests\": %lu, \"seconds\": %.6f}\n", w.varbinds, w.requests,
           seconds);
    return EXIT_SUCCESS;
}
