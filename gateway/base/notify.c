// SPDX-License-Identifier: BSD-2-Clause
#include "base/notify.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MESSAGE_SIZE = 1024, WAIT_MS = 5000 };

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
    struct text text = text_in(message, sizeof message);
    if (notify->fd < 0)
        return;
    va_list args;
    va_start(args, fmt);
    text_addv(&text, fmt, args);
    va_end(args);
    send(notify->fd, message, text.len, MSG_DONTWAIT | MSG_NOSIGNAL);
}

// Sends the manager the descriptor. The manager closes the descriptor after all messages before
// (sd_notify_barrier(3)).
static bool notify_hand_over(const struct notify *notify, int fd)
{
    char text[] = "BARRIER=1";
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof fd)];
    } control = {.header = {.cmsg_level = SOL_SOCKET,
                            .cmsg_type = SCM_RIGHTS,
                            .cmsg_len = CMSG_LEN(sizeof fd)}};
    memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    struct iovec part = {.iov_base = text, .iov_len = sizeof text - 1};
    const struct msghdr message = {.msg_iov = &part,
                                   .msg_iovlen = 1,
                                   .msg_control = control.room,
                                   .msg_controllen = sizeof control.room};
    return sendmsg(notify->fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)part.iov_len;
}

void notify_wait(const struct notify *notify)
{
    int ends[2];
    if (notify->fd < 0 || pipe2(ends, O_CLOEXEC) != 0)
        return;
    bool handed = notify_hand_over(notify, ends[1]);
    close(ends[1]);
    if (handed)
        poll(&(struct pollfd){.fd = ends[0]}, 1, WAIT_MS); // the other end is closed: POLLHUP
    close(ends[0]);
}
