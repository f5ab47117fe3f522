// SPDX-License-Identifier: BSD-2-Clause
// The belief of a receiver, from its events alone: the raised alarms less the cleared alarms.
#pragma once

#include "gateway_under_test.h"

#include <stdbool.h>
#include <stddef.h>

enum { VIEW_KEYS_MAX = 2048, VIEW_IDS_MAX = 16384 };

struct view {
    const char *name;
    struct gateway_filter filter;
    char keys[VIEW_KEYS_MAX][EVENT_KEY_SIZE];
    bool raised[VIEW_KEYS_MAX];
    enum severity severity[VIEW_KEYS_MAX]; // of the last raise
    unsigned key_count;
    char ids[VIEW_IDS_MAX][EVENT_ID_SIZE]; // of all events that it got
    unsigned id_count;
    char stray[EVENT_KEY_SIZE]; // a clear of this key named an event that the receiver did not get;
                                // empty: none
    // The key of an alarm that was told twice, and of a clear whose alarm was not told; empty:
    // none.
    char again[EVENT_KEY_SIZE], unraised[EVENT_KEY_SIZE];
    bool keyless; // it got a raise or a clear without a key
};

void view_begin(struct view *view, const char *name, const struct gateway_filter *filter);
void view_take(struct view *view, const struct event *event); // as it gets it
bool view_believes(const void *view, const char *key);
