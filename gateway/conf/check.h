// SPDX-License-Identifier: BSD-2-Clause
// Checks of single values, for the rows of the schema (schema_item.check and look). Each check
// returns false with a reason for a value that is not accepted.
//
// Decides: Which pattern of events, nodes or GUIDs is refused?
#pragma once

#include "base/error.h"
#include "conf/conf.h"

typedef bool check_fn(const char *value, struct error *reason);

check_fn check_path;             // an absolute path, not too long
check_fn check_notices;          // a file of model/notice_book.h
check_fn check_sm_log;           // such a path, or the journal of systemd
check_fn check_output_path;      // such a path, or "-"
check_fn check_community;        // a community; the reason does not show it
check_fn check_guids;            // some GUIDs that are not 0
check_fn check_pkey;             // a P_Key
check_fn check_printable;        // ASCII, and no blank
check_fn check_ipv4;             // an IPv4 address
check_fn check_ip;               // an IPv4 or IPv6 address
check_fn check_host;             // the host of an address: a name, or an IPv4 or IPv6 address
check_fn check_server_name;      // a name or an address in a certificate
check_fn check_master;           // the address of a master agent: a path, or tcp:ADDRESS:PORT
check_fn check_brokers;          // addresses of brokers, with commas between them
check_fn check_topic;            // a template of a topic of Kafka for kafka/topic.h
check_fn check_state_topic;      // a topic of Kafka
check_fn check_index;            // the name of an index: lower-case letters, digits, "._-"
check_fn check_url;              // an http or https URL without a user; no reason shows it
check_fn check_urls;             // 1 to 8 URLs for check_url, with commas between them
check_fn check_name_characters;  // letters, digits, "._-"
check_fn check_user;             // a user of HTTP's basic authentication
check_fn check_event_pattern;    // a pattern that some event's identifier fits
check_fn check_category_pattern; // a pattern that some category fits
check_fn check_node_pattern;     // of names: no regular expression, and no GUID
check_fn check_guid_pattern;     // with at least one GUID that fits, 0x and 16 lower-case digits
check_fn check_host_pattern;     // a pattern of model/node_name.h
check_fn check_any_pattern;      // of either kind; what begins with 0x is a pattern of GUIDs

// Those that look outside of the configuration. A path is absolute already.
check_fn check_name_map;      // the path of a file that can be read as a node name map
check_fn check_topology_file; // the path of a file that can be read as a topology
check_fn check_key_file;      // the path of a file with a number, without access for others
check_fn check_secret_file;   // the path of a file with a secret, without access for others
check_fn check_header_file;   // the same, with a header of HTTP
check_fn check_tls_key; // the path of a file without access for others; the file may be missing
check_fn check_group;   // a group that the system knows

// Reads GUIDs, decimal or hexadecimal after 0x, with commas or blanks between them. False with a
// reason: there is none, one is wrong or 0, or there are more than `max`.
bool check_read_guids(const char *text, uint64_t *out, size_t max, size_t *count,
                      struct error *reason);

// Reads a P_Key, decimal or hexadecimal after 0x. False with a reason: it is none.
bool check_read_pkey(const char *text, uint16_t *out, struct error *reason);

// Splits "host", "host:port", "1.2.3.4:port", "[v6]" or "[v6]:port"; does not change `port` when
// the address has no port. Returns NULL, or says why the address is wrong.
const char *check_split_address(const char *address, char host[CONF_ADDRESS_SIZE], uint16_t *port);
