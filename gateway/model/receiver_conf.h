// SPDX-License-Identifier: BSD-2-Clause
// What the configuration says of a receiver: the values of one section, for the configuration and
// for the sinks, which read the values in place. conf/conf.h has the rest of the configuration.
#pragma once

#include "base/word.h"
#include "model/choices.h"
#include "model/filter.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    CONF_NAME_SIZE = 65,  // of a receiver: ibtrapdReceiverName has 64 octets at most
    CONF_PATH_SIZE = 108, // fits a Unix socket's name
    CONF_ADDRESS_SIZE = 300,
    CONF_SECRET_SIZE = 256,
    CONF_WORD_SIZE = 65,
    CONF_CONTEXT_SIZE = 33, // an SNMP context has 32 octets at most (RFC 3415)
    CONF_BROKERS_SIZE = 1024,
    CONF_TOPIC_SIZE = 250, // a topic of Kafka has 249 characters at most
    CONF_SETTINGS_MAX = 16,
    CONF_SETTING_SIZE = 256,
    CONF_URL_SIZE = 512,
    CONF_HEADERS_MAX = 8,
    CONF_HEADER_SIZE = 256,
    CONF_INDEX_SIZE = 256,
    CONF_URLS_SIZE = 1024,     // several, with commas between them
    CONF_ALERT_URL_SIZE = 256, // each of them
    CONF_ALERT_URLS_MAX = 8,
    CONF_SOURCE_SIZE = 128,
};

enum conf_kind {
    CONF_SNMP,
    CONF_SYSLOG,
    CONF_FILE,
    CONF_AGENTX,
    CONF_KAFKA,
    CONF_HTTP,
    CONF_ALERTMANAGER
};

enum conf_sasl {
    CONF_SASL_NONE,
    CONF_SASL_PLAIN,
    CONF_SASL_SCRAM_SHA_256,
    CONF_SASL_SCRAM_SHA_512
};
extern const struct word WORDS_SASL[];

// The certificates of TLS and DTLS.
struct conf_tls {
    char ca_file[CONF_PATH_SIZE], crl_file[CONF_PATH_SIZE];
    char certificate_file[CONF_PATH_SIZE], key_file[CONF_PATH_SIZE];
    char server_name[CONF_ADDRESS_SIZE]; // in the certificate; empty: the host
};

struct conf_snmp {
    unsigned version; // 1, 2 or 3
    bool inform;
    char community[CONF_SECRET_SIZE];
    char community_file[CONF_PATH_SIZE]; // empty: the community stands in the configuration
    char user[CONF_WORD_SIZE], context[CONF_WORD_SIZE];
    enum snmp_auth auth;
    enum snmp_priv privacy;
    char auth_password_file[CONF_PATH_SIZE], privacy_password_file[CONF_PATH_SIZE];
    char auth_password[CONF_SECRET_SIZE], privacy_password[CONF_SECRET_SIZE]; // from those files
    unsigned timeout_ms, retries, window;                                     // of informs
    unsigned sets; // enum snmp_set; 0: the default
    bool extra_varbinds, trap_address;
    char agent_address[CONF_WORD_SIZE]; // in SNMPv1 and for trap_address; empty: this host's
};

struct conf_syslog {
    enum format format;
    unsigned facility; // RFC 5424 6.2.1
    int severities[8]; // the severity to send for each of RFC 5424 6.2.1
    bool lines;        // over TCP and TLS a line feed ends a message; false: its length precedes it
    char path[CONF_PATH_SIZE]; // of the local socket
};

struct conf_file {
    char path[CONF_PATH_SIZE];
    bool sync; // an event counts as delivered only when the disk has the event
};

struct conf_agentx {
    char socket[CONF_ADDRESS_SIZE]; // its path, or "tcp:HOST:PORT"
    char context[CONF_CONTEXT_SIZE];
    unsigned sets; // enum snmp_set; 0: the default
    bool extra_varbinds;
};

struct conf_kafka {
    enum format format;
    enum conf_sasl sasl;
    char brokers[CONF_BROKERS_SIZE];   // "host:port", with commas between them
    char topic[CONF_TOPIC_SIZE];       // a template for kafka/topic.h
    char state_topic[CONF_TOPIC_SIZE]; // empty: none
    unsigned state_refresh_s;
    char user[CONF_SECRET_SIZE], password_file[CONF_PATH_SIZE];
    char password[CONF_SECRET_SIZE];                     // from that file
    char settings[CONF_SETTINGS_MAX][CONF_SETTING_SIZE]; // "name=value"; empty behind the last
};

// How an HTTP server lets ibtrapd in. The module reads the files.
struct conf_http_access {
    char user[CONF_SECRET_SIZE], password_file[CONF_PATH_SIZE];
    char token_file[CONF_PATH_SIZE], header_file[CONF_PATH_SIZE];
    char headers[CONF_HEADERS_MAX][CONF_HEADER_SIZE]; // "Name: value"; empty behind the last
};

struct conf_http {
    char url[CONF_URL_SIZE];
    enum http_format format;
    unsigned batch;      // events of a request
    unsigned interval_s; // between two posts of metrics
    uint32_t batch_size; // octets of its body
    unsigned timeout;    // seconds for a request and its answer
    bool gzip;
    char index[CONF_INDEX_SIZE];       // Splunk's or Elasticsearch's; empty: the server decides
    char state_index[CONF_INDEX_SIZE]; // empty: none
    unsigned state_refresh_s;
    bool ack; // Splunk's: the indexers' acknowledgement confirms an event
};

struct conf_alertmanager {
    char urls[CONF_URLS_SIZE];
    char source[CONF_SOURCE_SIZE]; // the label; empty: the gateway's name
    unsigned expire_s; // after which an Alertmanager ends an alert that is not posted again
};

struct conf_receiver {
    char name[CONF_NAME_SIZE];
    enum conf_kind kind;
    enum transport transport;
    char host[CONF_ADDRESS_SIZE]; // name or address, without brackets
    uint16_t port;
    bool ipv6; // for datagrams: the host's IPv6 addresses before its IPv4 addresses
    struct filter filter;
    unsigned rate, burst; // events/s, 0: no limit; events at once
    int64_t age_us;       // 0: no limit
    bool from_backlog;    // a receiver with a name that was gone goes on at its old place
    struct conf_tls tls;
    struct conf_snmp snmp;
    struct conf_syslog syslog;
    struct conf_file file;
    struct conf_agentx agentx;
    struct conf_kafka kafka;
    struct conf_http http;
    struct conf_http_access http_access;
    struct conf_alertmanager alertmanager;
};
