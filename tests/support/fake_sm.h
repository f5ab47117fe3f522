// SPDX-License-Identifier: BSD-2-Clause
// A port and a subnet manager in memory, for the SA client. Time is virtual. It passes only when
// the test advances it, in lock step with the SA client's thread.
#pragma once

#include "ib/sa_client.h"

#include <pthread.h>

enum { FAKE_SM_QUEUE = 128, FAKE_SM_KEPT = 16, FAKE_SM_MAD_MAX = 4096 };

struct fake_sm {
    // The test may change these between two calls of fake_sm_run.
    bool no_port;           // no port can be opened
    bool no_registration;   // the kernel refuses the registration
    bool gone;              // the open port was unplugged
    bool better;            // another port is active
    struct mad_port_id id;  // the port that is opened next
    struct mad_port port;   // PortInfo
    uint64_t mkey;          // 0: none; otherwise the port refuses SMPs without it
    uint16_t lid;           // of the master SM
    struct mad_node node;   // the master SM's node
    bool no_smps;           // the host may send no SMPs
    bool with_grh;          // what arrives has a GRH
    const char *pkey_lacks; // what a refresh of the port says; NULL: all is well
    // The SM redirects requests to its SA to that address (IBA 13.4.8.1); `lid` 0: it does not.
    struct mad_address redirect;
    uint64_t redirect_prefix; // of its GID
    bool redirects_on;        // nor does that address answer, but redirects to itself
    uint16_t redirects_from;  // these answers come from the LID; 0: from its own
    bool splits;              // only the SM knows NodeRecords, and the address redirects to it
    unsigned redirected;      // requests
    struct mad_address asked; // where the latest request to the SA went
    bool deaf;                // the SM answers nothing
    bool drops_nodes;         // the SA drops queries for NodeRecords in silence
    bool refuses_nodes;       // the SA refuses them
    bool drops_lists;         // and those for InformInfoRecords
    bool drops_sets;          // and Sets of InformInfo
    bool drops_info;          // the SM drops SMInfo
    uint32_t act_count;       // of its SMInfo
    bool says_no_records;     // the SA answers an empty list with the status "no records"
    uint64_t sa_key;
    size_t held_max;       // subscriptions beyond are refused, as out of resources; 0: no limit
    bool no_wildcard;      // the SA refuses the subscription to all traps
    bool trusts_keys_only; // the SA drops queries without that key in silence
    bool demands_key;      // and Sets of InformInfo without it
    bool held[MAD_TRAP_VENDOR + 1]; // the SA has this subscription, by trap
    bool full;                      // the listener refuses Reports
    uint16_t error;                 // status of every answer of the SA; 0: success
    int64_t late_us;                // delay of the SA's answers
    int64_t list_late_us;           // additional delay of its lists of subscriptions
    int64_t read_us;                // that the client needs for each MAD
    unsigned returns_at;            // once so many MADs are left to read, the kernel returns a
                                    // request that timed out before them; 0: never
    bool report_at_unsubscribe;

    // What happened.
    unsigned tries;                    // to open a port
    unsigned opened, closed, received; // `received` counts calls
    unsigned smps;                     // sent by the client
    unsigned reads;                    // of the port, by the kernel
    unsigned refreshes;                // of its P_Keys
    unsigned refused;                  // SMPs refused for a wrong M_Key
    unsigned asked_node, asked_list, asked_info;
    unsigned subscribed[MAD_TRAP_VENDOR + 1], unsubscribed[MAD_TRAP_VENDOR + 1]; // requests
    uint64_t key[MAD_TRAP_VENDOR + 1]; // SA key of the latest request
    uint64_t node_key, list_key;       // of the latest queries
    uint64_t other_key;                // SM_Key in a query for SMInfo
    struct {
        uint8_t mad[MAD_SIZE];
        struct mad_address to;
        struct mad_grh grh;
    } answers[FAKE_SM_KEPT]; // ReportResps
    size_t answer_count;
    struct sa_report reports[FAKE_SM_KEPT];
    size_t report_count;
    struct {
        enum sa_change change;
        uint64_t prefix;
        char reason[512];
        int64_t at;
    } changes[FAKE_SM_KEPT];
    size_t change_count;

    // Private.
    pthread_mutex_t lock;
    pthread_cond_t moved;
    pthread_t test;
    int64_t now, limit;
    bool idle, unlimited, is_open;
    struct {
        uint8_t octets[FAKE_SM_MAD_MAX];
        size_t size;
        int64_t at; // when it arrives
        struct mad_address from;
    } inbox[FAKE_SM_QUEUE];
    size_t inbox_head, inbox_count;
    uint8_t current[FAKE_SM_MAD_MAX];
    struct clock clock;
};

// Sets up a port that is up at LID 7 and an SM at LID 1.
void fake_sm_init(struct fake_sm *sm);

struct mad_opener fake_sm_opener(struct fake_sm *sm);
struct sa_listener fake_sm_listener(struct fake_sm *sm);

// Lets that much time pass; returns when the SA client waits again.
void fake_sm_run(struct fake_sm *sm, int64_t us);

// Lets time pass by itself from now on, so that the SA client can stop.
void fake_sm_run_free(struct fake_sm *sm);

// Makes a MAD from that LID arrive.
void fake_sm_arrive(struct fake_sm *sm, uint16_t lid, const uint8_t *octets, size_t size);

size_t fake_sm_held(const struct fake_sm *sm);
