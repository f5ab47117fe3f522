// The commands about the journal.
#ifndef IBTRAPD_CTL_JOURNAL_COMMANDS_H
#define IBTRAPD_CTL_JOURNAL_COMMANDS_H

#include "ctl/command.h"

// These read the journal's file, whether ibtrapd runs or not. They are refused when the file cannot
// be read, or when an ibtrapd that starts meanwhile writes to it.

// SQLite's check of the whole file; refused with its first finding when the file is damaged.
command_run journal_commands_check;

// Events, their numbers and age, alarms, snapshots of the fabric, size.
command_run journal_commands_stats;

// Every event after a number, a JSON object a line.
command_run journal_commands_export;

// Asks the daemon to drop old events.
command_run journal_commands_prune;

#endif
