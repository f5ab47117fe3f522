// SPDX-License-Identifier: BSD-2-Clause
// Reads the configuration: a file, a text, or the defaults. Each is checked whole before it counts.
// After a success conf_free releases the configuration; after a failure there is nothing to free.
//
// Decides: Which configuration file does a gateway read?
// Decides: What does a reload do when the configuration file is gone?
#pragma once

#include "base/error.h"
#include "base/instance.h"
#include "base/log.h"
#include "conf/conf.h"

// Releases what a configuration holds, and overwrites the secrets of its receivers. A configuration
// of zeros is good, too.
void conf_free(struct conf *conf);

// Reads and checks a file, with the files named in it. A file without a receiver gets a receiver
// for the local syslog. On failure `err` says file, line, item, value and reason of the first
// mistake, and how many others there are.
bool conf_load(const char *path, struct conf *conf, struct error *err);

// Does the same with a text that is not in a file yet; `name` stands for the file's name in `err`.
// An empty text gives the defaults. `looks`: opens the named files and looks for the named groups;
// without `looks`, for somebody who may not open the same files as ibtrapd, the configuration has
// no keys and passwords from files.
bool conf_load_text(const char *text, const char *name, bool looks, struct conf *conf,
                    struct error *err);

// Makes the configuration of an instance from the file `path`. With NULL it is the instance's own
// file, or the defaults if there is no such file; a file that cannot be read is a mistake. Replaces
// the default directories and socket by the instance's. Refuses another device or port than the
// instance's. On failure `mistakes` gets all mistakes; it may be NULL.
bool conf_load_instance(const struct instance *instance, const char *path, struct conf *conf,
                        struct conf_mistakes *mistakes, struct error *err);

// Puts the first mistake into `err`, and how many others there are. There is one at least.
void conf_tell_mistakes(const struct conf_mistakes *mistakes, struct error *err);

// Whether a reload may replace `running` by `next`. It may not when the file in force is gone:
// returns false with a sentence then.
bool conf_may_replace(const struct conf *running, const struct conf *next, struct error *err);

// Calls `tell` with a sentence for each item that is right and probably not meant so: a page of
// metrics that nobody can fetch, a receiver that gets nothing or what another one gets, a policy
// that disables all events, a pattern of nodes that is the description of a factory.
void conf_warn(const struct conf *conf, void (*tell)(void *ctx, const char *sentence), void *ctx);

// Logs the path of the file in force, or that there is no file and the defaults hold.
void conf_log_file(const struct conf *conf, struct log *log);

// Adds a receiver for standard output, unless the configuration has a receiver for standard output.
void conf_add_stdout(struct conf *conf);
