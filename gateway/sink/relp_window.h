// The messages of a RELP session that are not confirmed yet. Transactions have numbers one after
// the other; after the greatest they begin anew with 1.
#ifndef IBTRAPD_SINK_RELP_WINDOW_H
#define IBTRAPD_SINK_RELP_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

enum { RELP_WINDOW = 512 };

struct relp_window {
    uint32_t next;               // transaction, from 1 on
    bool confirmed[RELP_WINDOW]; // a ring, the oldest unconfirmed first
    unsigned head, pending;
};

// The transaction of what is sent now.
uint32_t relp_window_take_number(struct relp_window *window);

// The next transaction is a message; fewer than RELP_WINDOW may be unconfirmed.
void relp_window_add(struct relp_window *window);

// False: no message with that number waits for it.
bool relp_window_confirm(struct relp_window *window, uint32_t transaction);

// Forgets the oldest messages as far as they are confirmed; returns how many.
int relp_window_pass(struct relp_window *window);

#endif
