// SPDX-License-Identifier: BSD-2-Clause
// An HTTP server for benchmarks: reads requests with a Content-Length and answers each with 200.
// One connection at a time. Prints its port, and ends when its standard input does.
#include "bare.h"

#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ROOM = 1 << 16 };

static bool read_on(int fd, char *buffer, size_t *size)
{
    struct pollfd wait[2] = {{fd, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    poll(wait, 2, -1);
    if (wait[1].revents != 0)
        exit(EXIT_SUCCESS);
    const ssize_t n = read(fd, buffer + *size, ROOM - 1 - *size);
    *size += n > 0 ? (size_t)n : 0;
    buffer[*size] = '\0';
    return n > 0;
}

// Reads a request and passes over its body. False: the connection ended.
static bool serve(int fd, char *buffer, size_t *size)
{
    static const char ANSWER[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
    const char *end;
    while (!(end = strstr(buffer, "\r\n\r\n"))) {
        if (*size == ROOM - 1 || !read_on(fd, buffer, size))
            return false;
    }
    const char *length = strcasestr(buffer, "content-length:");
    size_t left = length && length < end ? strtoul(length + 15, NULL, 10) : 0;
    size_t head = (size_t)(end + 4 - buffer);
    while (*size - head < left) {
        left -= *size - head;
        *size = head = 0;
        if (!read_on(fd, buffer, size))
            return false;
    }
    *size -= head + left;
    memmove(buffer, buffer + head + left, *size + 1);
    return write(fd, ANSWER, sizeof ANSWER - 1) == sizeof ANSWER - 1;
}

int main(void)
{
    static char buffer[ROOM];
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof here;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    signal(SIGPIPE, SIG_IGN);
    if (listener < 0 || bind(listener, (struct sockaddr *)&here, sizeof here) != 0 ||
        listen(listener, 8) != 0 || getsockname(listener, (struct sockaddr *)&here, &length) != 0)
        bare_give_up("cannot listen");
    printf("%u\n", ntohs(here.sin_port));
    fflush(stdout);
    for (;;) {
        struct pollfd wait[2] = {{listener, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
        poll(wait, 2, -1);
        if (wait[1].revents != 0)
            return EXIT_SUCCESS;
        const int fd = accept(listener, NULL, NULL);
        size_t size = 0;
        buffer[0] = '\0';
        while (fd >= 0 && serve(fd, buffer, &size)) {
        }
        close(fd);
    }
}
