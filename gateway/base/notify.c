// SPDX-License-Identifier: BSD-2-Clause
#include "base/notify.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MESSAGE_SIZE = 1024 };

static bool notify_connect_to(int fd, const char *socket)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(socket);
    if (length >= sizeof address.sun_path || (socket[0] != '/' && socket[0] != '@')) {
        errno = EINVAL;
        return false;
    }
    memcpy(address.sun_path, socket, length);
    if (socket[0] == '@')
        address.sun_path[0] = '\0'; // an abstract name has no NUL at its end
    else
        length++;
    return connect(fd, (const struct sockaddr *)&address,
                   (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) == 0;
}

bool notify_open(struct notify *notify, const char *socket_name, struct error *err)
{
    notify->fd = -1;
    if (!socket_name || socket_name[0] == '\0')
        return true;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && notify_connect_to(fd, socket_name)) {
        notify->fd = fd;
        return true;
    }
    error_set(err, "cannot reach the service manager at '%s': %s", socket_name, strerror(errno));
    if (fd >= 0)
        close(fd);
    return false;
}

void notify_close(struct notify *notify)
{
    if (notify->fd >= 0)
        close(notify->fd);
    notify->fd = -1;
}

void notify_send(const struct notify *notify, const char *fmt, ...)
{
    char message[MESSAGE_SIZE];
    if (notify->fd < 0)
        return;
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    send(notify->fd, message, strlen(message), MSG_DONTWAIT | MSG_NOSIGNAL);
}
