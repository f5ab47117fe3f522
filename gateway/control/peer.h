// Who is at the other end of a Unix socket, as the kernel noted it when that end connected.
#ifndef IBTRAPD_CONTROL_PEER_H
#define IBTRAPD_CONTROL_PEER_H

#include "base/error.h"

#include <sys/types.h>

struct peer {
    uid_t uid;
    pid_t pid;       // 0: it runs in a PID namespace that is not seen from here
    bool privileged; // root, the own user, or in the group that was asked for
};

// False with a sentence when the kernel does not tell.
bool peer_find(int fd, gid_t group, struct peer *out, struct error *err);

#endif
