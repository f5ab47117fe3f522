// Who is at the other end of a Unix socket, as the kernel noted it when that end connected.
#ifndef IBTRAPD_CONTROL_PEER_CREDENTIALS_H
#define IBTRAPD_CONTROL_PEER_CREDENTIALS_H

#include "base/error.h"

#include <sys/types.h>

struct peer_credentials {
    uid_t uid;
    pid_t pid;       // 0: it runs in a PID namespace that is not seen from here
    bool privileged; // root, the own user, or in the group that was asked for
};

// False with a sentence when the kernel does not tell.
bool peer_credentials_read(int fd, gid_t group, struct peer_credentials *out, struct error *err);

#endif
