// SPDX-License-Identifier: BSD-2-Clause
// Reads configurations and compares their values, for the tests of conf/. Each function fails the
// test at the first difference.
#pragma once

#include "support.h"

#include "conf/load.h"

// The configuration that was read last, and the last error.
extern struct conf conf;
extern struct error err;

// Frees the configuration after a test.
#define CONF_TEST(f) cmocka_unit_test_teardown(f, release)
int release(void **state);

// Reading. A configuration without mistakes, from a file, from a text, or the defaults.
void load_path(const char *path);
void load(const char *content);
void load_defaults(void);

// The first mistake of a text, without the path. Valid until the next call.
const char *error_of(const char *content);

// All mistakes of a text, one line each, without the path. Valid until the next call.
const char *mistakes_of(const char *content);

// Replaces "%s" in `content`, if present, by a file's path.
void name_file(char *content, size_t size, const char *path);

// Receivers with the defaults of an empty section.
struct conf_receiver make_snmp(const char *name, const char *host, uint16_t port);
struct conf_receiver make_syslog(const char *name, enum transport transport);
struct conf_receiver make_remote_syslog(const char *name, enum transport transport,
                                        const char *host, uint16_t port);
struct conf_receiver make_file(const char *name, const char *path);
struct conf_receiver make_agentx(const char *name);
void add_pattern(struct filter_list *list, const char *pattern);
struct conf_counters default_counters(void);

// Comparisons of a part of `conf`.
void check_list(const struct filter_list *list, const struct filter_list *expected);
void check_filter(const struct filter *f, const struct filter *expected);
void check_receiver(size_t i, const struct conf_receiver *expected);
void check_fabric(const struct conf_fabric *expected);
void check_sweep(const struct conf_sweep *expected);
void check_counters(const struct conf_counters *expected);
void check_policy(const struct conf_policy *expected);
void check_rule(size_t i, const struct conf_rule *expected);
void check_journal(const struct conf_journal *expected);
enum log_level level_of(enum log_folder folder); // that `conf` gives a log
void check_levels(enum log_level level);
void check_general_defaults(void);
void check_defaults(const char *receiver_name); // all, with one local syslog of that name
