// SPDX-License-Identifier: BSD-2-Clause
// Since when a receiver is wrong about which keys.
#pragma once

#include "model/event.h"

#include <stdbool.h>
#include <stdint.h>

enum { WRONG_KEYS_MAX = 512 };

struct wrong {
    struct {
        char key[EVENT_KEY_SIZE];
        int64_t since;
        bool still;
    } keys[WRONG_KEYS_MAX];
    unsigned count;
};

// One check of all keys: wrong_note for each wrong thing, then wrong_end, which forgets the other
// things.
int64_t wrong_note(struct wrong *wrong, const char *key, int64_t now); // since when
void wrong_end(struct wrong *wrong);
