// Checks of single values, for the rows of the schema (see schema_item.check).
#ifndef IBTRAPD_CONF_CHECK_H
#define IBTRAPD_CONF_CHECK_H

#include "conf/schema.h"

typedef bool check_fn(const struct schema_item *item, const char *value, struct error *reason);

check_fn check_path;             // absolute, and not too long
check_fn check_output_path;      // or "-"
check_fn check_name_map;         // of a file that can be read as one
check_fn check_key_file;         // of a file with a number that others cannot read
check_fn check_secret_file;      // of a file with a secret that others cannot read
check_fn check_tls_key;          // of a file that others cannot read; it may be missing
check_fn check_group;            // one that the system knows
check_fn check_community;        // tells the length only
check_fn check_ipv4;             // an address
check_fn check_ip;               // one of either family
check_fn check_master;           // where a master agent listens: a path, or tcp:ADDRESS:PORT
check_fn check_event_pattern;    // fits some event
check_fn check_category_pattern; // fits some category

// Splits "host", "host:port", "1.2.3.4:port", "[v6]", "[v6]:port"; `port` stays as it is when none
// follows. NULL, or what is wrong.
const char *check_split_address(const char *address, char host[CONF_ADDRESS_SIZE], uint16_t *port);

#endif
