// SPDX-License-Identifier: BSD-2-Clause
#include "control/peer_credentials.h"

#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Checks the groups of the process. The groups of the user in the user database might need a name
// service, and a name service may not answer. After a user was added to a group, the user has to
// log in again: the same holds for access to files.
static bool peer_credentials_have_group(int fd, gid_t group)
{
    socklen_t size = 0;
    getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, NULL, &size); // sets `size`
    gid_t *groups = memory_get(size);
    bool found = false;
    if (size > 0 && getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size) == 0) {
        for (size_t i = 0; i < size / sizeof *groups; i++)
            found |= groups[i] == group;
    }
    free(groups);
    return found;
}

bool peer_credentials_read(int fd, gid_t group, struct peer_credentials *out, struct error *err)
{
    struct ucred who;
    socklen_t size = sizeof who;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0)
        return error_set(err, "cannot read the credentials of the client: %s", strerror(errno));
    *out = (struct peer_credentials){.uid = who.uid, .pid = who.pid};
    out->privileged = who.uid == 0 || who.uid == geteuid() || who.gid == group ||
                      peer_credentials_have_group(fd, group);
    return true;
}

// Adds the user's name and a blank. Reads /etc/passwd: a name service may not answer.
static void peer_credentials_add_user(struct text *t, uid_t uid)
{
    char buf[1024], name[PEER_CREDENTIALS_NAME_SIZE / 2];
    struct passwd entry, *found;
    FILE *file = fopen("/etc/passwd", "re");
    while (file && fgetpwent_r(file, &entry, buf, sizeof buf, &found) == 0) {
        if (entry.pw_uid != uid)
            continue;
        text_clean(entry.pw_name, strlen(entry.pw_name), name, sizeof name);
        text_addf(t, "%s ", name);
        break;
    }
    if (file)
        fclose(file);
}

void peer_credentials_name(const struct peer_credentials *who, char out[PEER_CREDENTIALS_NAME_SIZE])
{
    struct text t = text_in(out, PEER_CREDENTIALS_NAME_SIZE);
    peer_credentials_add_user(&t, who->uid);
    text_addf(&t, t.len > 0 ? "(uid %u)" : "uid %u", (unsigned)who->uid);
}
