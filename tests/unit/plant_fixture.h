// SPDX-License-Identifier: BSD-2-Clause
// A small plant of nodes and cables, seen from node 0, through pipeline, policy and journal in
// virtual time. For one thread.
#pragma once

#include "generated.h"
#include "pipeline_fixture.h"

#include "topology/alarm_key.h"

#define DAY  (86400 * CLOCK_US_PER_S)
#define HOUR (3600 * CLOCK_US_PER_S)

struct cable {
    uint32_t a, b;
    uint8_t port_a, port_b;
    bool cut, narrow;
    uint8_t state; // of both ends; 0: ACTIVE
};

extern struct generated plant;
extern struct cable *cables;
extern size_t cable_count, cable_room;
extern bool *off;                          // by node
extern int64_t seen_through;               // the last event before the present sweep
extern struct policy_options plant_policy; // plant_end sets it back
extern bool starts_without_sweeps;
extern _Atomic size_t sweeps_wanted; // by the pipeline

uint32_t add_node(enum fabric_type type, const char *name, uint8_t ports);
size_t plant_connect(uint32_t a, uint8_t port_a, uint32_t b, uint8_t port_b);
uint64_t guid_of(uint32_t node);
void sweep_for(int64_t us);
void sweep(void);
void plant_start(void);
int plant_begin(void **state);
int plant_end(void **state);
size_t count_events(enum catalogue_event type);
size_t count_told(enum catalogue_event type);
const struct event *told(enum catalogue_event type);
void check_told(enum catalogue_event type, const char *key, const char *reason);
void check_nothing_told(void);
const char *key_of(const struct alarm_key *what);
const char *node_key(uint32_t node);
const char *port_key(uint32_t node, uint8_t port);
const char *cable_key(enum alarm_key_kind kind, size_t cable);
const char *inactive_key(size_t cable);
bool is_active(const char *key);
size_t count_alarms(void);
