// SPDX-License-Identifier: BSD-2-Clause
#include "fake_manager.h"

#include "support.h"

#include <sys/socket.h>
#include <sys/un.h>

int fake_manager_listen(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(name);
    memcpy(address.sun_path, name, length);
    if (name[0] == '@')
        address.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address,
                          (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)),
                     0);
    return fd;
}

const char *fake_manager_next(int fd)
{
    static char message[4096];
    ssize_t n = recv(fd, message, sizeof message - 1, MSG_DONTWAIT);
    message[n < 0 ? 0 : n] = '\0';
    return n < 0 ? NULL : message;
}
