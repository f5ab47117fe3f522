// SPDX-License-Identifier: BSD-2-Clause
// Makes configurations of receivers from the trap recipients that managers added (gswAgtCmtyTable).
// Each pair of address and community is one receiver. Its trap group is the switches whose rows
// have that pair. This is not part of agent/, which does not know the configuration.
#ifndef IBTRAPD_DAEMON_TRAP_RECIPIENTS_H
#define IBTRAPD_DAEMON_TRAP_RECIPIENTS_H

#include "base/error.h"
#include "conf/conf.h"
#include "model/setting.h"

enum { TRAP_RECIPIENTS_MAX = 64 };

// Whether a receiver of this name is a trap recipient. No receiver of the configuration has such a
// name.
bool trap_recipients_are_named(const char *receiver);

struct trap_recipients {
    struct conf_receiver *all; // in the order of their first rows
    size_t count;
};

// Lists the trap recipients; all listen on UDP port `port`. Free the list with
// trap_recipients_clear.
//
// A recipient's name is recipient-ADDRESS-DIGEST. The digest has 16 bits: too few to reveal the
// community. The journal keeps a receiver's cursor by its name, so the name does not depend on
// the other recipients, with one exception: if two recipients at one address have the same digest,
// the second gets the next free digest, and another one when the first is removed or their rows
// change places.
//
// Returns false with a sentence if there are more than TRAP_RECIPIENTS_MAX; `out` has the first.
bool trap_recipients_of(const struct settings *settings, uint16_t port, struct trap_recipients *out,
                        struct error *err);
void trap_recipients_clear(struct trap_recipients *recipients);

// The recipient with the name, or NULL.
const struct conf_receiver *trap_recipients_find(const struct trap_recipients *recipients,
                                                 const char *name);

// Whether the two configurations are equal, so that the running receiver can go on. For any kind of
// receiver.
bool trap_recipients_equal(const struct conf_receiver *running, const struct conf_receiver *wanted);

#endif
