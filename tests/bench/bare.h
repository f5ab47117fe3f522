// What the bare loops share.
#ifndef IBTRAPD_TESTS_BARE_H
#define IBTRAPD_TESTS_BARE_H

#include "model/event.h"

// The event that the flood has, but for its names. The caller's.
struct event *bare_event(void);

_Noreturn void bare_give_up(const char *why);

double bare_cpu_s(void); // what the process has taken

#endif
