// A port and a subnet manager in memory, for the SA agent: time is virtual and moves only when the
// test lets it, in lock step with the agent's thread.
#ifndef IBTRAPD_TESTS_FAKE_SM_H
#define IBTRAPD_TESTS_FAKE_SM_H

#include "ib/sa_client.h"

#include <pthread.h>

enum { FAKE_SM_QUEUE = 128, FAKE_SM_KEPT = 16, FAKE_SM_MAD_MAX = 4096 };

struct fake_sm {
    // What the test may change, between two calls of fake_sm_run.
    bool no_port;          // none can be opened
    bool gone;             // the open one was unplugged
    bool better;           // another port is active
    struct mad_port_id id; // what is opened next
    struct mad_port port;  // PortInfo
    uint64_t mkey;         // 0: none; else the port refuses SMPs without it
    uint16_t lid;          // of the master SM
    struct mad_node node;  // its node
    bool deaf;             // it answers nothing
    bool says_no_records;  // an empty list is the status "no records"
    uint64_t sa_key;
    bool held[MAD_TRAP_VENDOR + 1]; // its subscriptions, by trap
    bool full;                      // the listener has no room
    uint16_t error;                 // status of every answer of the SA; 0: none
    int64_t late_us;                // how long its answers take
    int64_t list_late_us;           // how much longer its lists of subscriptions do
    bool report_at_unsubscribe;

    // What happened.
    unsigned opened, closed, received; // received: calls
    unsigned refused;                  // SMPs without the M_Key
    unsigned subscribed[MAD_TRAP_VENDOR + 1], unsubscribed[MAD_TRAP_VENDOR + 1]; // requests
    uint64_t key[MAD_TRAP_VENDOR + 1]; // in the latest request
    struct {
        uint8_t mad[MAD_SIZE];
        struct mad_address to;
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

    // Its own.
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

// A port that is up at LID 7 and an SM at LID 1.
void fake_sm_init(struct fake_sm *sm);

struct mad_opener fake_sm_opener(struct fake_sm *sm);
struct sa_listener fake_sm_listener(struct fake_sm *sm);

// Lets that much time pass for the agent; returns when it waits again.
void fake_sm_run(struct fake_sm *sm, int64_t us);

// From now on time passes by itself, for stopping.
void fake_sm_run_free(struct fake_sm *sm);

// A MAD arrives, from that LID.
void fake_sm_arrive(struct fake_sm *sm, uint16_t lid, const uint8_t *octets, size_t size);

size_t fake_sm_held(const struct fake_sm *sm);

#endif
