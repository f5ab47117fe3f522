// SPDX-License-Identifier: BSD-2-Clause
// The common part of the programs that send made-up events to a receiver.
#pragma once

#include "model/event.h"

// The value of the argument "NAME=VALUE", or `otherwise`. The arguments end with NULL.
const char *sender_option(char **args, const char *name, const char *otherwise);
long sender_number(char **args, const char *name, long otherwise);

// Event number n, from 0, which has n in its identifier, time and GUID, about a node of that name.
// It has no text. The reference is the caller's.
struct event *sender_event(long n, const char *node);

// The `renew_ms` of all transfers (http/transfer.h), in programs with sender_transfer.c.
extern unsigned sender_renew_ms;
