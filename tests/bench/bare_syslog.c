// SPDX-License-Identifier: BSD-2-Clause
// The comparison for syslog: a bare loop that only sends the same message over a socket, with one
// call for each. Prints JSON.
//
//   bench-bare-syslog tcp|relp PORT COUNT
//
// To 127.0.0.1. It ends when the kernel has sent everything (tcp), or when all is confirmed (relp).
#include "bare.h"

#include "base/clock.h"
#include "sink/format.h"
#include "sink/relp.h"

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { NAP_US = 100, IN_SIZE = 8192 };

struct bench {
    int fd;
    bool relp;
    unsigned long count, sent, confirmed;
    char message[FORMAT_SIZE];
    size_t size;
    char in[IN_SIZE];
    size_t in_size;
};

// The message of the flood's event: the octets are the same.
static void make_message(struct bench *b)
{
    const struct format_origin origin = {
        .facility = 3, .hostname = "bench", .process_id = "1", .ip = "127.0.0.1", .sequence = 1};
    struct event *event = bare_event();
    struct text t = text_in(b->message, sizeof b->message);
    format_message(&t, FORMAT_RFC5424, &origin, event);
    b->size = t.len;
    event_unref(event);
}

static void open_socket(struct bench *b, const char *port)
{
    const struct sockaddr_in to = {.sin_family = AF_INET,
                                   .sin_port = htons((uint16_t)strtoul(port, NULL, 10)),
                                   .sin_addr = {htonl(INADDR_LOOPBACK)}};
    b->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (b->fd < 0 || connect(b->fd, (const struct sockaddr *)&to, sizeof to) != 0)
        bare_give_up("cannot connect");
}

static void put(const struct bench *b, const struct text *t)
{
    if (send(b->fd, t->buf, t->len, MSG_NOSIGNAL) != (ssize_t)t->len)
        bare_give_up("cannot send");
}

// TCP, octet-counted.

static void run_tcp(struct bench *b)
{
    char frame[FORMAT_SIZE + 16];
    int left = 1;
    for (; b->sent < b->count; b->sent++) {
        struct text t = text_in(frame, sizeof frame);
        text_addf(&t, "%zu ", b->size);
        text_add_n(&t, b->message, b->size);
        put(b, &t);
    }
    while (ioctl(b->fd, SIOCOUTQ, &left) == 0 && left > 0)
        clock_sleep(NAP_US);
    b->confirmed = b->sent;
}

// RELP.

// Waits for an answer, and reads all that have arrived.
static void take_answers(struct bench *b)
{
    struct relp_frame f;
    ssize_t n = recv(b->fd, b->in + b->in_size, sizeof b->in - b->in_size, 0);
    if (n <= 0)
        bare_give_up("the connection broke");
    b->in_size += (size_t)n;
    size_t used = 0;
    for (long size; (size = relp_frame_parse(b->in + used, b->in_size - used, &f)) > 0;) {
        used += (size_t)size;
        b->confirmed++;
    }
    b->in_size -= used;
    memmove(b->in, b->in + used, b->in_size);
}

static void send_frame(struct bench *b, uint32_t number, const char *command, const char *data,
                       size_t size)
{
    char frame[FORMAT_SIZE + 64];
    struct text t = text_in(frame, sizeof frame);
    relp_frame_add(&t, number, command, data, size);
    put(b, &t);
}

static void run_relp(struct bench *b)
{
    static const char OFFERS[] = "relp_version=0\nrelp_software=bench\ncommands=syslog";
    send_frame(b, 1, "open", OFFERS, sizeof OFFERS - 1);
    while (b->confirmed == 0)
        take_answers(b);
    b->confirmed = 0;
    while (b->confirmed < b->count) {
        if (b->sent < b->count && b->sent - b->confirmed < RELP_WINDOW)
            send_frame(b, (uint32_t)(b->sent++ + 2), "syslog", b->message, b->size);
        else
            take_answers(b);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4)
        bare_give_up("usage: bench-bare-syslog tcp|relp PORT COUNT");
    static struct bench b;
    b.relp = strcmp(argv[1], "relp") == 0;
    b.count = strtoul(argv[3], NULL, 10);
    make_message(&b);
    open_socket(&b, argv[2]);
    int64_t begin = clock_monotonic(&clock_system);
    if (b.relp)
        run_relp(&b);
    else
        run_tcp(&b);
    double seconds = (double)(clock_monotonic(&clock_system) - begin) / 1e6;
    printf("{\"sent\": %lu, \"done\": %lu, \"octets\": %zu, \"s\": %.4f, \"perS\": %.0f, "
           "\"cpuUs\": %.3f}\n",
           b.sent, b.confirmed, b.size, seconds, (double)b.count / seconds,
           bare_cpu_s() * 1e6 / (double)b.count);
    close(b.fd);
    return EXIT_SUCCESS;
}
