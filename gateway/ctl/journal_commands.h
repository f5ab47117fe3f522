// `ibtrapctl journal ...`: what the file tells, whether ibtrapd runs or not.
#ifndef IBTRAPD_CTL_JOURNAL_COMMANDS_H
#define IBTRAPD_CTL_JOURNAL_COMMANDS_H

#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

// Each reads the journal `path`. False with a sentence when it cannot be read, or when an ibtrapd
// that starts meanwhile writes to it.

// SQLite's check of the whole file; false with its first finding when it is damaged.
bool journal_commands_check(FILE *out, const char *path, struct error *err);

// Events, their numbers and age, alarms, snapshots of the fabric, size.
bool journal_commands_stats(FILE *out, const char *path, bool json, struct error *err);

// Every event after that sequence number, a JSON object a line.
bool journal_commands_export(FILE *out, const char *path, int64_t after, struct error *err);

#endif
