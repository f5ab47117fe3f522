// SPDX-License-Identifier: BSD-2-Clause
// Finds the port that libibumad is to open, and who else has it open.
#ifndef IBTRAPD_IB_UMAD_SEARCH_H
#define IBTRAPD_IB_UMAD_SEARCH_H

#include "ib/umad.h"

#include "base/text.h"

// The port of that choice. A device named smiN, which only sends SMPs for a multi-plane adapter, is
// passed over unless it is chosen by name. False with a sentence that says what to do.
bool umad_search(const struct umad_choice *choice, struct mad_port_id *id, struct error *err);

// Adds "opensm (PID 812), srp_daemon (PID 900)": the other processes that have the device file of
// that descriptor open. Adds nothing if there is none that this process may see.
void umad_search_holders(struct text *t, int fd);

#endif
