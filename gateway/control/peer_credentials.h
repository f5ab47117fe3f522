// SPDX-License-Identifier: BSD-2-Clause
// The user and the groups of the process at the other end of a Unix socket, at the time of the
// connection.
// Decides: May this user run this command?
#pragma once

#include "base/error.h"

#include <sys/types.h>

struct peer_credentials {
    uid_t uid;
    pid_t pid;       // 0: the peer runs in a PID namespace invisible to this process
    bool privileged; // root, our own user, or a member of `group`
};

// False with a sentence: the kernel refused.
bool peer_credentials_read(int fd, gid_t group, struct peer_credentials *out, struct error *err);

enum { PEER_CREDENTIALS_NAME_SIZE = 64 };

// Writes "alice (uid 1000)", or "uid 1000" for a user whom /etc/passwd does not have.
void peer_credentials_name(const struct peer_credentials *who,
                           char out[PEER_CREDENTIALS_NAME_SIZE]);
