// SPDX-License-Identifier: BSD-2-Clause
// The comparison for SNMP: a bare loop over libsnmp that only sends the flood's notifications, from
// binary OIDs. Prints JSON.
//
//   bench-bare-snmp 2c|3 trap|inform PORT COUNT WINDOW
//
// To 127.0.0.1. Version 3 is SHA-256 and AES-128 with the user of tests/bench/drive.py.
#include "bare.h"
#include "flood_sm.h"

#include "base/clock.h"
#include "sink/snmp_pdu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>

#define USER     "bench"
#define PASSWORD "correct horse"

struct bench {
    bool v3, inform;
    unsigned long count, window;
    char peer[64];
    void *handle;
    netsnmp_pdu *model; // the PDU to send, without its last varbind, the text
    unsigned long sent, answered, failed, sent_again;
};

// The flood's event: the PDUs are the same.
static netsnmp_pdu *make_model(int command)
{
    struct event *event = bare_event();
    netsnmp_pdu *pdu =
        snmp_pdu_make(command, event, event->type->own, &(struct snmp_pdu_options){.uptime_cs = 1});
    event_unref(event);
    return pdu;
}

// Texts of different lengths: with equal sizes a receiver's heap stays in order, and the receiver
// is faster than with real events.
static netsnmp_pdu *make_pdu(const struct bench *b)
{
    char text[128];
    unsigned long port = b->sent % FLOOD_SM_PORTS;
    int size = snprintf(text, sizeof text,
                        "host%05lu came into service with GID fe80::2:c9f0:0:%lx.", port, port);
    netsnmp_pdu *pdu = snmp_pdu_create(b->model->command);
    const netsnmp_variable_list *v = b->model->variables;
    for (; v->next_variable; v = v->next_variable)
        snmp_pdu_add_variable(pdu, v->name, v->name_length, v->type, v->val.string, v->val_len);
    snmp_pdu_add_variable(pdu, v->name, v->name_length, v->type, text, (size_t)size);
    return pdu;
}

static void set_v3(netsnmp_session *s)
{
    static oid AUTH[] = {1, 3, 6, 1, 6, 3, 10, 1, 1, 5}; // usmHMAC192SHA256AuthProtocol
    s->securityName = USER;
    s->securityNameLen = strlen(USER);
    s->securityLevel = SNMP_SEC_LEVEL_AUTHPRIV;
    s->securityAuthProto = AUTH;
    s->securityAuthProtoLen = OID_LENGTH(AUTH);
    s->securityPrivProto = usmAESPrivProtocol;
    s->securityPrivProtoLen = OID_LENGTH(usmAESPrivProtocol);
    s->securityAuthKeyLen = s->securityPrivKeyLen = USM_AUTH_KU_LEN;
    if (generate_Ku(AUTH, OID_LENGTH(AUTH), (const u_char *)PASSWORD, strlen(PASSWORD),
                    s->securityAuthKey, &s->securityAuthKeyLen) != SNMPERR_SUCCESS ||
        generate_Ku(AUTH, OID_LENGTH(AUTH), (const u_char *)PASSWORD, strlen(PASSWORD),
                    s->securityPrivKey, &s->securityPrivKeyLen) != SNMPERR_SUCCESS)
        bare_give_up("cannot make keys");
}

// The sender of a trap is the authoritative engine.
static void be_authority(netsnmp_session *s)
{
    static u_char id[USM_MAX_ID_LENGTH];
    setup_engineID(NULL, "bench");
    s->securityEngineID = id;
    s->securityEngineIDLen = snmpv3_get_engineID(id, sizeof id);
    s->engineBoots = 1;
    s->engineTime = 1;
    set_enginetime(id, (u_int)s->securityEngineIDLen, s->engineBoots, s->engineTime, TRUE);
}

static void open_session(struct bench *b)
{
    netsnmp_session s;
    snmp_sess_init(&s);
    s.version = b->v3 ? SNMP_VERSION_3 : SNMP_VERSION_2c;
    s.peername = b->peer;
    s.timeout = 1000000;
    s.retries = 3;
    s.community = (u_char *)"public";
    s.community_len = 6;
    if (b->v3)
        set_v3(&s);
    if (b->v3 && !b->inform)
        be_authority(&s);
    b->handle = snmp_sess_open(&s);
    if (!b->handle)
        bare_give_up(snmp_api_errstring(s.s_snmp_errno));
}

static int take_answer(int operation, netsnmp_session *session, int id, netsnmp_pdu *pdu,
                       void *magic)
{
    (void)session, (void)id, (void)pdu;
    struct bench *b = magic;
    b->answered += operation == NETSNMP_CALLBACK_OP_RECEIVED_MESSAGE;
    b->failed += operation == NETSNMP_CALLBACK_OP_TIMED_OUT;
    b->sent_again += operation == NETSNMP_CALLBACK_OP_RESEND;
    return 1;
}

static void send_one(struct bench *b)
{
    netsnmp_pdu *pdu = make_pdu(b);
    bool ok = b->inform ? snmp_sess_async_send(b->handle, pdu, take_answer, b)
                        : snmp_sess_send(b->handle, pdu);
    if (!ok)
        bare_give_up("cannot send");
    b->sent++;
}

static void serve(struct bench *b)
{
    fd_set set;
    int fds = 0, block = 0;
    struct timeval timeout = {.tv_sec = 1};
    FD_ZERO(&set);
    snmp_sess_select_info(b->handle, &fds, &set, &timeout, &block);
    if (select(fds, &set, NULL, NULL, &timeout) > 0)
        snmp_sess_read(b->handle, &set);
    else
        snmp_sess_timeout(b->handle);
}

static void run(struct bench *b)
{
    while (b->sent < b->count || (b->inform && b->answered + b->failed < b->count)) {
        if (b->sent < b->count && (!b->inform || b->sent - b->answered - b->failed < b->window))
            send_one(b);
        else
            serve(b);
    }
}

int main(int argc, char **argv)
{
    if (argc != 6)
        bare_give_up("usage: bench-bare-snmp 2c|3 trap|inform PORT COUNT WINDOW");
    struct bench b = {.v3 = strcmp(argv[1], "3") == 0,
                      .inform = strcmp(argv[2], "inform") == 0,
                      .count = strtoul(argv[4], NULL, 10),
                      .window = strtoul(argv[5], NULL, 10)};
    snprintf(b.peer, sizeof b.peer, "udp:127.0.0.1:%s", argv[3]);
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_READ_CONFIGS, 1);
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_PERSIST_STATE, 1);
    setenv("MIBS", "", 1);
    init_snmp("bench");
    b.model = make_model(b.inform ? SNMP_MSG_INFORM : SNMP_MSG_TRAP2);
    open_session(&b);
    double cpu = bare_cpu_s();
    int64_t begin = clock_monotonic(&clock_system);
    run(&b);
    double seconds = (double)(clock_monotonic(&clock_system) - begin) / 1e6;
    unsigned long done = b.inform ? b.answered : b.sent;
    printf("{\"sent\": %lu, \"done\": %lu, \"sentAgain\": %lu, \"s\": %.4f, \"perS\": %.0f, "
           "\"cpuUs\": %.3f}\n",
           b.sent, done, b.sent_again, seconds, (double)done / seconds,
           (bare_cpu_s() - cpu) * 1e6 / (double)b.count);
    snmp_sess_close(b.handle);
    snmp_free_pdu(b.model);
    snmp_shutdown("bench");
    return done == b.count ? EXIT_SUCCESS : EXIT_FAILURE;
}
