// SPDX-License-Identifier: BSD-2-Clause
// Makes configurations of receivers from the trap recipients of managers (gswAgtCmtyTable). Each
// pair of address and community is a receiver. The trap group of the receiver has the switches with
// the pair in a row. Not part of agent/, because agent/ does not know the configuration.
// Decides: Which receiver does a trap recipient set by SNMP become?
#pragma once

#include "base/error.h"
#include "conf/conf.h"
#include "model/setting.h"

enum { TRAP_RECIPIENTS_MAX = 64 };

// Whether the name is the name of a trap recipient. No receiver of the configuration has such a
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
// community. The journal keeps a receiver's cursor by the name of the receiver. The name does not
// depend on the present recipients, with an exception. If two recipients at an address have the
// same digest, the second recipient gets the next free digest. The digest changes when the first
// recipient is removed, or the rows of the two change places.
//
// Returns false with a sentence if there are more than TRAP_RECIPIENTS_MAX; `out` has the first.
bool trap_recipients_of(const struct settings *settings, uint16_t port, struct trap_recipients *out,
                        struct error *err);
void trap_recipients_clear(struct trap_recipients *recipients);

// The recipient with the name, or NULL.
const struct conf_receiver *trap_recipients_find(const struct trap_recipients *recipients,
                                                 const char *name);

// Whether the two configurations are equal: then the running receiver can go on. For any kind of
// receiver.
bool trap_recipients_equal(const struct conf_receiver *running, const struct conf_receiver *wanted);
