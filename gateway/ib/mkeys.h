// SPDX-License-Identifier: BSD-2-Clause
// The M_Keys of a fabric whose ports have their own: OpenSM's file `guid2mkey`, and `neighbors` in
// the same directory. `neighbors` says to which port a link leads, and thereby which key a port
// needs before its first answer. Each line is empty or has two words. OpenSM replaces a file after
// a sweep that changed the content:
//
//     0x0002c90300000001 0x1122334455667788
//     0x0002c90300000001:12 0x0002c90300000005:1
//
// All GUIDs are GUIDs of ports. The GUID of a switch is the GUID of port 0.
//
// Decides: Which M_Key does a port get?
#pragma once

#include "base/error.h"
#include "base/log.h"

#include <stdbool.h>
#include <stdint.h>

struct mkeys;
struct mkeys *mkeys_new(struct log *log); // without a file yet
void mkeys_free(struct mkeys *mkeys);     // erases the keys; NULL is allowed

// The functions below are for any thread.

// Reads the file of M_Keys, and uses the file from now on. An empty path ends the use of a file.
void mkeys_use(struct mkeys *mkeys, const char *path);

// Reads the files again if they were replaced or changed. The former keys stay in force if a file
// is away or cannot be read. The log reports the second failure in a row, because OpenSM removes
// the former file just before the next file takes its place. Returns true if the keys changed.
bool mkeys_refresh(struct mkeys *mkeys);

// The M_Key of the port with GUID `port_guid`, or `other` if the file does not have the port.
// `mkeys` may be NULL.
uint64_t mkeys_find(struct mkeys *mkeys, uint64_t port_guid, uint64_t other);

// The GUID that OpenSM saw last at the other end of the link; 0: not known.
uint64_t mkeys_find_behind(struct mkeys *mkeys, uint64_t port_guid, uint8_t port);
