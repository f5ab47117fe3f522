// SPDX-License-Identifier: BSD-2-Clause
// The values of the configuration, and nothing but values: load.h reads a file into the values and
// checks them. From then on no value changes; a reload makes a new struct conf.
// Decides: How many receivers and rules may a configuration have?
#pragma once

#include "base/log.h"
#include "model/choices.h"
#include "model/counter.h"
#include "model/receiver_conf.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    CONF_DEVICE_SIZE = 64,
    CONF_RECEIVERS_MAX = 64,
    CONF_GATEWAY_NAME_SIZE = 46, // an alarm key has room for it and a receiver's name
    CONF_RULE_NAME_SIZE = 64,
    CONF_PKEY_SIZE = 8,
    CONF_KEY_GUIDS_MAX = 8,
    CONF_KEY_GUIDS_SIZE = CONF_KEY_GUIDS_MAX * 20,
    CONF_RULES_MAX = 64,
};

struct conf_fabric {
    char name[EVENT_FABRIC_SIZE];     // empty: of the host and the port
    char device[CONF_DEVICE_SIZE];    // empty: the first active InfiniBand port
    unsigned port;                    // 0: the device's first
    char sa_key_file[CONF_PATH_SIZE]; // empty: none
    bool has_sa_key;
    uint64_t sa_key;                        // read from that file
    char sa_key_guids[CONF_KEY_GUIDS_SIZE]; // of the SMs that may get it; empty: all
    uint64_t key_guids[CONF_KEY_GUIDS_MAX]; // the same
    size_t key_guid_count;
    char pkey_text[CONF_PKEY_SIZE];     // of the gateway's requests; empty: the default partition's
    uint16_t pkey;                      // the same; 0: the default one's
    bool all_traps;                     // one subscription for all generic traps
    char node_name_map[CONF_PATH_SIZE]; // empty: none
    struct filter_list host_names;      // patterns of model/systems.h; empty: its default
    struct filter_list no_names;        // patterns of NodeDescriptions that are no names
    char expected_topology[CONF_PATH_SIZE]; // empty: none
    char notices[CONF_PATH_SIZE];           // of model/notice_book.h; empty: none
    char sm_log[CONF_PATH_SIZE];            // empty: none
    char unhealthy_ports[CONF_PATH_SIZE];   // empty: none
    bool expected_by_name;                  // its nodes are found by name, else by GUID
    unsigned verify_interval_s, refresh_interval_s;
    unsigned without_sm_s; // with_master_sm: seconds without a master SM until a gateway goes on
    bool with_master_sm;   // receivers get events only while the master SM runs at the own port
};

struct conf_sweep {
    enum sweep_method method;
    unsigned interval_s, settle_ms, inactive_sweeps;
    unsigned in_flight, attempts, timeout_ms; // of MADs
    unsigned nodes_max, part_s_max;           // that a sweep finds; seconds of each of its parts
    char mkey_file[CONF_PATH_SIZE];           // empty: none
    bool has_mkey;
    uint64_t mkey;                       // read from that file
    char guid2mkey_file[CONF_PATH_SIZE]; // M_Keys of single ports; empty: none
    bool pkeys;
    bool vendor_registers;
    unsigned vendor_interval_s;      // from one round over the devices to the next; 0: no rounds
    char vskey_file[CONF_PATH_SIZE]; // empty: none
    bool has_vskey;
    uint64_t vskey; // read from that file; 0: none
};

struct conf_counters {
    enum counter_ports ports;
    unsigned interval_s;
    uint64_t thresholds[COUNTER_ERRORS]; // the growth in an interval that is an event; 0: none
    // The rates of errors that are an event, over a short and a long window; 0: none.
    unsigned window_min[2];
    // Of each counter: the rates of a warning, then those of an error.
    double bit_error_rates[COUNTER_ERRORS][4];     // errors a bit
    double fec_bit_error_rates[COUNTER_ERRORS][4]; // the same of links with error correction
    double fec_loss_rates[COUNTER_ERRORS][4];      // errors a received packet, of such links
    double error_rates[COUNTER_ERRORS][4];         // errors an hour
    unsigned errors_min;                           // fewer are no event
    unsigned clear_percent;                        // of the rate: below, the alarm ends
    unsigned congestion_percent; // of the time: a port that waits longer is an event; 0: none
    unsigned congestion_clear;   // of the time: at or below, the alarm ends
};

struct conf_journal {
    char directory[CONF_PATH_SIZE]; // journal and SNMP engine state
    int64_t rows_max, bytes_max, age_us;
};

enum conf_port_metrics { CONF_PORT_METRICS_OFF, CONF_PORT_METRICS_ERRORS, CONF_PORT_METRICS_ALL };

struct conf_metrics {
    char host[CONF_ADDRESS_SIZE]; // an IP address; empty: metrics are not served
    uint16_t port;
    enum conf_port_metrics ports; // what is told of each port of the fabric
    bool page;                    // the page for browsers is served, too
    struct filter_list hosts;     // names with a dot by which clients may ask
};

// The subagent, which serves the tables of the MIBs below a master agent of this host.
struct conf_subagent {
    char socket[CONF_ADDRESS_SIZE];        // its path, or "tcp:HOST:PORT"; empty: no tables
    char context[CONF_CONTEXT_SIZE];       // empty: the default context only
    bool has_context;                      // false: an instance's context is its name
    uint16_t contexts;                     // enum contexts_of: nodes with a context of their own
    uint16_t fabric_ports;                 // the same: which ports the fabric as one device has
    char fabric_socket[CONF_ADDRESS_SIZE]; // of a master agent for that device alone; empty: none
    bool writable;
    uint8_t event_trap_level; // GswEventSeverity (IBSWITCH-MIB)
    uint16_t recipient_port;  // of the trap recipients that managers set
    uint16_t read_rate;       // MADs a second for what managers ask and no sweep reads
};

enum { CONF_SAME = -1 }; // a rule does not change this; a folder has no log level of its own

// A rule: a section "policy". Of the rules that fit an event, the last rule that sets a value
// decides the value.
struct conf_rule {
    char name[CONF_RULE_NAME_SIZE];
    struct filter_list events, nodes; // empty: all
    int enabled;                      // 0, 1 or CONF_SAME
    int severity;                     // enum severity or CONF_SAME
    int category;                     // enum category or CONF_SAME
    int hold_down_s;                  // or CONF_SAME
};

struct conf_policy {
    struct conf_rule *rules; // in the order of the file
    size_t rule_count;
    unsigned repeat_window_s; // 0: off
    unsigned flap_changes;    // 0: off
    unsigned flap_within_s, flap_quiet_s;
    int64_t missing_age_us; // at which alarms about missing nodes, ports and links end; 0: never
    unsigned storm_rate;    // events of one kind in a second; 0: off
    unsigned storm_period_s;
    bool hold_consequences;
};

struct conf {
    char file[PATH_MAX];
    bool has_file; // false: the file does not exist, and the defaults hold
    struct conf_fabric fabric;
    struct conf_sweep sweep;
    struct conf_counters counters;
    struct link_history_limits unreliable;
    struct conf_journal journal;
    struct conf_metrics metrics;
    struct conf_subagent subagent;
    char name[CONF_GATEWAY_NAME_SIZE]; // in the keys of its own alarms; empty: the host's
    unsigned heartbeat_s;              // from one heartbeat to the next; 0: none
    struct conf_policy policy;
    struct conf_receiver *receivers;
    size_t receiver_count;
    char socket[CONF_PATH_SIZE];
    char group[CONF_WORD_SIZE];          // of the control socket; empty: the process's own
    gid_t socket_group;                  // the number of `group`; (gid_t)-1: the process's own
    enum log_level log_level;            // of the folders that have no level of their own
    int folder_levels[LOG_FOLDER_COUNT]; // enum log_level or CONF_SAME
};

enum { CONF_MISTAKES_MAX = 20 }; // the reading ends after so many

// The mistakes in a file, in the order of its lines.
struct conf_mistakes {
    size_t count;
    struct error sentences[CONF_MISTAKES_MAX]; // FILE:LINE: SENTENCE, or without LINE
};
