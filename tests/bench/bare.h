// SPDX-License-Identifier: BSD-2-Clause
// Code that the bare loops share.
#pragma once

#include "model/event.h"

// The flood's event, without its names. The caller releases it.
struct event *bare_event(void);

_Noreturn void bare_give_up(const char *why);

double bare_cpu_s(void); // processor time of this process, in seconds
