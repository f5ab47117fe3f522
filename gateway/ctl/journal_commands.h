// SPDX-License-Identifier: BSD-2-Clause
// The commands about the journal.
#ifndef IBTRAPD_CTL_JOURNAL_COMMANDS_H
#define IBTRAPD_CTL_JOURNAL_COMMANDS_H

#include "ctl/command.h"

// The next three read the journal's file, whether ibtrapd runs or not. They are refused if the file
// cannot be read, or if ibtrapd starts meanwhile and writes to it.

// Runs SQLite's check of the whole file; refused with its first finding if the file is damaged.
command_run journal_commands_check;

// Writes the numbers and the age of the events, the number of alarms and snapshots, and the size.
command_run journal_commands_stats;

// Writes every event after a number, one JSON object per line.
command_run journal_commands_export;

// Asks the daemon to delete old events.
command_run journal_commands_prune;

#endif
