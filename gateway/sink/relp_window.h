// SPDX-License-Identifier: BSD-2-Clause
// The unconfirmed messages of a RELP session. Transactions are numbered consecutively; after the
// largest number, 1 follows.
#ifndef IBTRAPD_SINK_RELP_WINDOW_H
#define IBTRAPD_SINK_RELP_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

enum { RELP_WINDOW = 512 };

struct relp_window {
    uint32_t next;               // transaction, from 1
    bool confirmed[RELP_WINDOW]; // a ring, the oldest unconfirmed first
    unsigned head, pending;
};

// Returns the number of the next transaction and advances it.
uint32_t relp_window_take_number(struct relp_window *window);

// Records that the next transaction is a message; fewer than RELP_WINDOW may be unconfirmed.
void relp_window_add(struct relp_window *window);

// How many pending messages are older than the unconfirmed one with that number; -1: there is none.
int relp_window_find(const struct relp_window *window, uint32_t transaction);

// False: there is no unconfirmed message with that number.
bool relp_window_confirm(struct relp_window *window, uint32_t transaction);

// Removes confirmed messages, up to the oldest unconfirmed one; returns how many.
int relp_window_pass(struct relp_window *window);

#endif
