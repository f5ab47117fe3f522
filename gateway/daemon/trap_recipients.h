// Trap recipients that were set by SNMP (gswAgtCmtyTable), as receivers. Every address with a
// community is one; its trap group is the switches in whose rows the two stand.
#ifndef IBTRAPD_DAEMON_TRAP_RECIPIENTS_H
#define IBTRAPD_DAEMON_TRAP_RECIPIENTS_H

#include "conf/conf.h"
#include "model/setting.h"

enum { TRAP_RECIPIENTS_MAX = 64 };

// What their names begin with; the configuration has none such.
bool trap_recipients_are_named(const char *receiver);

struct trap_recipients {
    struct conf_receiver *all; // in the order in which they stand first
    size_t count;
};

// They are named recipient-ADDRESS-DIGEST, the digest being 16 bits of the community, which tell a
// guess from another and no more. The name, by which the journal knows a receiver's place, is the
// same whoever else is there. Only if two at one address have the same digest does the second take
// the next free one, and the other when the first goes or their rows change places.
//
// False with a sentence: there are more than TRAP_RECIPIENTS_MAX, and `out` has the first ones; or
// there is no memory, and `out->all` is NULL. `port` is where they listen. trap_recipients_clear
// releases what they hold.
bool trap_recipients_of(const struct settings *settings, uint16_t port, struct trap_recipients *out,
                        struct error *err);
void trap_recipients_clear(struct trap_recipients *recipients);

// Whether a receiver that was made from `running` does what `wanted` asks for. Of any receivers.
bool trap_recipients_equal(const struct conf_receiver *running, const struct conf_receiver *wanted);

#endif
