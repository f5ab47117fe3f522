// SPDX-License-Identifier: BSD-2-Clause
// The master agent's side of an AgentX session. The test speaks it, in the test's own thread.
#pragma once

#include "support.h"

#include "agentx/pdu.h"

enum { FAKE_MASTER_SESSION = 0x2A };

struct fake_master {
    int listener, fd; // -1: none
    const char *path;
    uint8_t in[1 << 16];
    size_t in_size;
    uint32_t uptime; // the sysUpTime that it reports
};

// A PDU of the subagent: the decoded header, and a reader for the payload.
struct fake_pdu {
    uint8_t octets[1 << 16];
    struct pdu_header header;
    struct pdu_reader rest;
};

void fake_master_begin(struct fake_master *m, const char *name);
void fake_master_listen(struct fake_master *m); // as when snmpd starts
void fake_master_die(struct fake_master *m);    // as when snmpd is killed
void fake_master_end(struct fake_master *m);

bool fake_master_accept(struct fake_master *m);
bool fake_master_is_left(struct fake_master *m); // the subagent has closed the connection
bool fake_master_hear(struct fake_master *m,
                      struct fake_pdu *out); // false: the subagent sent nothing
void fake_master_expect(struct fake_master *m, uint8_t type, struct fake_pdu *out);
void fake_master_say(struct fake_master *m, struct pdu_writer *w);
void fake_master_respond(struct fake_master *m, const struct fake_pdu *to, unsigned error);
