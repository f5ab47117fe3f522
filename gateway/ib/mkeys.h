// SPDX-License-Identifier: BSD-2-Clause
// The M_Keys of a fabric whose ports have their own: OpenSM's file `guid2mkey`, and `neighbors` in
// the same directory, which says whose key a port needs that has not answered yet. Each line of
// them that is not empty is two words, and OpenSM replaces a file when a sweep changed it:
//
//     0x0002c90300000001 0x1122334455667788
//     0x0002c90300000001:12 0x0002c90300000005:1
//
// GUIDs are those of ports, of a switch that of its port 0.
#ifndef IBTRAPD_IB_MKEYS_H
#define IBTRAPD_IB_MKEYS_H

#include "base/error.h"
#include "base/log.h"

#include <stdbool.h>
#include <stdint.h>

struct mkeys;
struct mkeys *mkeys_new(struct log *log); // without a file yet
void mkeys_free(struct mkeys *mkeys);     // erases the keys; NULL is allowed

// The functions below are for any thread.

// Uses that file of M_Keys from now on and reads it; empty: none.
void mkeys_use(struct mkeys *mkeys, const char *path);

// Reads the files again if they were replaced or changed. One that is away or cannot be read leaves
// the former keys in force; the log says so once it is for the second time, as OpenSM removes the
// former file just before it has the next one in its place. True: there are other keys than before.
bool mkeys_refresh(struct mkeys *mkeys);

// The M_Key of the port with that GUID, or `other`: the file does not have it. `mkeys` may be NULL.
uint64_t mkeys_find(struct mkeys *mkeys, uint64_t port_guid, uint64_t other);

// The GUID of the port at the other end, as OpenSM saw it last; 0: not known.
uint64_t mkeys_find_behind(struct mkeys *mkeys, uint64_t port_guid, uint8_t port);

#endif
