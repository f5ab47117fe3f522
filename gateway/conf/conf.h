// The configuration: read once, checked whole, immutable from then on.
#ifndef IBTRAPD_CONF_CONF_H
#define IBTRAPD_CONF_CONF_H

#include "base/error.h"
#include "base/instance.h"
#include "base/log.h"
#include "model/counter.h"
#include "model/filter.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
    CONF_NAME_SIZE = 65,  // of a receiver, as ibtrapdReceiverName has it
    CONF_PATH_SIZE = 108, // fits a Unix socket's name
    CONF_ADDRESS_SIZE = 300,
    CONF_SECRET_SIZE = 256,
    CONF_WORD_SIZE = 65,
    CONF_DEVICE_SIZE = 64,
    CONF_CONTEXT_SIZE = 33, // an SNMP context has 32 octets at most (RFC 3415)
    CONF_RECEIVERS_MAX = 64,
    CONF_RULE_NAME_SIZE = 64,
    CONF_RULES_MAX = 64,
};

struct conf_fabric {
    char device[CONF_DEVICE_SIZE]; // empty: the first active InfiniBand port
    unsigned port;                 // 0: the device's first
    bool has_sa_key;
    uint64_t sa_key;
    char node_name_map[CONF_PATH_SIZE]; // empty: none
    unsigned verify_interval_s, refresh_interval_s;
    bool with_master_sm; // receivers get events only while the master SM runs at the own port
};

enum conf_sweep_method { CONF_SWEEP_OFF, CONF_SWEEP_SMP, CONF_SWEEP_SA };

struct conf_sweep {
    enum conf_sweep_method method;
    unsigned interval_s, settle_ms;
    unsigned in_flight, attempts, timeout_ms; // of MADs
    bool has_mkey;
    uint64_t mkey;
};

enum conf_counter_ports { CONF_NO_PORTS, CONF_SWITCH_PORTS, CONF_ALL_PORTS };

struct conf_counters {
    enum conf_counter_ports ports;
    unsigned interval_s;
    uint64_t thresholds[COUNTER_ERRORS]; // growth in an interval that is told; 0: never
};

struct conf_journal {
    char directory[CONF_PATH_SIZE]; // journal and SNMP engine state
    int64_t rows_max, bytes_max, age_us;
};

struct conf_metrics {
    char host[CONF_ADDRESS_SIZE]; // an IP address; empty: metrics are not served
    uint16_t port;
};

// The tables of the MIBs, below a master agent of this host.
struct conf_tables {
    char socket[CONF_ADDRESS_SIZE];  // its path, or "tcp:HOST:PORT"; empty: there are none
    char context[CONF_CONTEXT_SIZE]; // empty: the default context only
    bool has_context;                // otherwise it is the instance's name
    bool writable;
    uint8_t event_trap_level; // GswEventSeverity (IBSWITCH-MIB)
    uint16_t recipient_port;  // of the trap recipients that are set
};

enum conf_kind { CONF_SNMP, CONF_SYSLOG, CONF_FILE, CONF_AGENTX };

enum conf_transport {
    CONF_LOCAL,
    CONF_UDP,
    CONF_TCP,
    CONF_TLS,
    CONF_DTLS,
    CONF_RELP,
    CONF_RELP_TLS,
    CONF_STDOUT,
};

enum conf_snmp_set { CONF_SET_SMA = 1, CONF_SET_SWITCH = 2, CONF_SET_OWN = 4, CONF_SET_EVENT = 8 };

// Of TLS and DTLS.
struct conf_tls {
    char ca_file[CONF_PATH_SIZE], certificate_file[CONF_PATH_SIZE], key_file[CONF_PATH_SIZE];
    char server_name[CONF_ADDRESS_SIZE]; // in the certificate; empty: the host
};

struct conf_snmp {
    unsigned version; // 1, 2 or 3
    bool inform;
    char community[CONF_SECRET_SIZE];
    char user[CONF_WORD_SIZE], context[CONF_WORD_SIZE];
    char auth[CONF_WORD_SIZE], privacy[CONF_WORD_SIZE]; // protocols' names; empty: none
    char auth_password[CONF_SECRET_SIZE], privacy_password[CONF_SECRET_SIZE];
    unsigned timeout_ms, retries, window; // of informs
    unsigned sets;                        // enum conf_snmp_set; 0: the default
    bool extra_varbinds, trap_address;
    char agent_address[CONF_WORD_SIZE]; // of SNMPv1 and of trap_address; empty: this host's
};

struct conf_syslog {
    char format[CONF_WORD_SIZE];
    unsigned facility;         // RFC 5424 6.2.1
    int severities[8];         // what is sent for each severity of RFC 5424 6.2.1
    bool lines;                // over TCP and TLS; otherwise the octets of each message are counted
    char path[CONF_PATH_SIZE]; // of the local socket
};

struct conf_file {
    char path[CONF_PATH_SIZE];
    bool sync; // an event counts as delivered when it is on disk
};

struct conf_agentx {
    char socket[CONF_ADDRESS_SIZE]; // its path, or "tcp:HOST:PORT"
    char context[CONF_CONTEXT_SIZE];
    unsigned sets; // as of struct conf_snmp
    bool extra_varbinds;
};

struct conf_receiver {
    char name[CONF_NAME_SIZE];
    enum conf_kind kind;
    enum conf_transport transport;
    char host[CONF_ADDRESS_SIZE]; // name or address, without brackets
    uint16_t port;
    struct filter filter;
    unsigned rate, burst; // events/s, 0: no limit; events at once
    int64_t age_us;       // 0: no limit
    struct conf_tls tls;
    struct conf_snmp snmp;
    struct conf_syslog syslog;
    struct conf_file file;
    struct conf_agentx agentx;
};

enum { CONF_SAME = -1 }; // in a rule: says nothing of this

// A section "policy". Of the rules that fit an event the last one decides.
struct conf_rule {
    char name[CONF_RULE_NAME_SIZE];
    struct filter_list events, nodes; // empty: all
    int enabled;                      // 0, 1 or CONF_SAME
    int severity;                     // enum severity or CONF_SAME
    int category;                     // enum category or CONF_SAME
    int hold_down_s;                  // or CONF_SAME
};

struct conf_policy {
    struct conf_rule *rules; // in their order
    size_t rule_count;
    unsigned repeat_window_s; // 0: off
    unsigned flap_changes;    // 0: off
    unsigned flap_within_s, flap_quiet_s;
    unsigned storm_rate; // events of one kind in a second; 0: off
    unsigned storm_period_s;
    bool hold_consequences;
};

struct conf {
    char file[PATH_MAX];
    bool has_file; // false: there is no such file, and the defaults hold
    struct conf_fabric fabric;
    struct conf_sweep sweep;
    struct conf_counters counters;
    struct conf_journal journal;
    struct conf_metrics metrics;
    struct conf_tables tables;
    unsigned heartbeat_s; // between two; 0: none
    struct conf_policy policy;
    struct conf_receiver *receivers;
    size_t receiver_count;
    char socket[CONF_PATH_SIZE];
    gid_t socket_group; // (gid_t)-1: the process's own
    enum log_level log_levels[LOG_FOLDER_COUNT];
};

// What holds without a file: the first active port, and events to the local syslog. False when
// memory is short. conf_free releases what a configuration holds.
bool conf_defaults(struct conf *conf, struct error *err);
void conf_free(struct conf *conf);

// Reads and checks a file, with the files it names. Without a receiver in it the default one holds.
// On failure `err` says file, line, item, value and reason, and there is nothing to free.
bool conf_load(const char *path, struct conf *conf, struct error *err);

// The same of a text that is no file yet; `name` stands for it in `err`.
bool conf_load_text(const char *text, const char *name, struct conf *conf, struct error *err);

// What an instance runs with: the file `path`, or with NULL its own one, or where there is none the
// defaults. One that cannot be read is a mistake. Where the configuration names the directories of
// the only gateway, the instance's are meant; naming another port than the instance's is a mistake.
bool conf_load_instance(const struct instance *instance, const char *path, struct conf *conf,
                        struct error *err);

// Whether a reload may replace one by the other: not when the file that is in force is gone. False
// with a sentence.
bool conf_may_replace(const struct conf *running, const struct conf *next, struct error *err);

// Logs which file is in force, or that there is none.
void conf_log_file(const struct conf *conf, struct log *log);

// Adds a receiver that writes to standard output, unless there is one.
void conf_add_stdout(struct conf *conf);

#endif
