// SPDX-License-Identifier: BSD-2-Clause
#include "ears.h"

#include "require.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PLACES = WANTED_FILES + WANTED_UDP, LINE_MAX_ = 65536, PATH_MAX_ = 128 };

struct heard {
    unsigned count, severity;
};

struct ear {
    int fd; // of a file: -1 until it is there
    char path[PATH_MAX_];
    char line[LINE_MAX_]; // the begin of a line that is not whole yet
    size_t used;
    struct heard *heard; // by probe
};

struct ears {
    size_t probes_max;
    struct ear all[PLACES];
};

static int open_socket(uint16_t *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int room = 1 << 20;
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    REQUIRE(fd >= 0 && bind(fd, (const struct sockaddr *)&address, sizeof address) == 0);
    REQUIRE(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room) == 0);
    REQUIRE(getsockname(fd, (struct sockaddr *)&address, &size) == 0);
    *port = ntohs(address.sin_port);
    return fd;
}

struct ears *ears_open(struct wanted_places *places, size_t probes_max)
{
    struct ears *ears = calloc(1, sizeof *ears);
    REQUIRE(ears);
    ears->probes_max = probes_max;
    for (size_t i = 0; i < PLACES; i++) {
        struct ear *ear = &ears->all[i];
        ear->heard = calloc(probes_max, sizeof *ear->heard);
        REQUIRE(ear->heard);
        snprintf(ear->path, sizeof ear->path, "%s/%zu.json", places->directory, i);
        ear->fd = i < WANTED_FILES ? -1 : open_socket(&places->ports[i - WANTED_FILES]);
    }
    return ears;
}

void ears_close(struct ears *ears)
{
    for (size_t i = 0; i < PLACES; i++) {
        if (ears->all[i].fd >= 0)
            close(ears->all[i].fd);
        free(ears->all[i].heard);
    }
    free(ears);
}

// The severity of a line: PRI of RFC 5424, or the word of the JSON object.
static unsigned severity_of(const char *line)
{
    static const char *const WORDS[] = {"emergency", "alert",  "critical",      "error",
                                        "warning",   "notice", "informational", "debug"};
    static const char KEY[] = "\"severity\":\"";
    if (line[0] == '<')
        return (unsigned)strtoul(line + 1, NULL, 10) % 8;
    const char *word = strstr(line, KEY);
    REQUIRE(word);
    word += sizeof KEY - 1;
    unsigned severity = 0;
    while (severity < 8 && strncmp(word, WORDS[severity], strlen(WORDS[severity])) != 0)
        severity++;
    REQUIRE(severity < 8);
    return severity;
}

static void take_line(const struct ears *ears, struct ear *ear, const char *line)
{
    const char *guid = strstr(line, "systemImageGuid");
    guid = guid ? strstr(guid, "0x") : NULL;
    if (!guid || !strstr(line, "system-image-guid-change"))
        return;
    const uint64_t probe = strtoull(guid, NULL, 16) - EARS_FIRST_GUID;
    REQUIRE(probe < ears->probes_max);
    ear->heard[probe].count++;
    ear->heard[probe].severity = severity_of(line);
}

static void listen_to_socket(const struct ears *ears, struct ear *ear)
{
    for (ssize_t n; (n = recv(ear->fd, ear->line, sizeof ear->line - 1, 0)) >= 0;) {
        ear->line[n] = '\0';
        take_line(ears, ear, ear->line);
    }
}

static void take_lines(const struct ears *ears, struct ear *ear)
{
    char *begin = ear->line, *end;
    ear->line[ear->used] = '\0';
    for (; (end = strchr(begin, '\n')); begin = end + 1) {
        *end = '\0';
        take_line(ears, ear, begin);
    }
    ear->used -= (size_t)(begin - ear->line);
    memmove(ear->line, begin, ear->used);
    REQUIRE(ear->used < sizeof ear->line - 1);
}

static void listen_to_file(const struct ears *ears, struct ear *ear)
{
    if (ear->fd < 0)
        ear->fd = open(ear->path, O_RDONLY | O_CLOEXEC);
    for (ssize_t n; ear->fd >= 0 && (n = read(ear->fd, ear->line + ear->used,
                                              sizeof ear->line - 1 - ear->used)) > 0;) {
        ear->used += (size_t)n;
        take_lines(ears, ear);
    }
}

void ears_listen(struct ears *ears)
{
    for (size_t i = 0; i < PLACES; i++) {
        if (i < WANTED_FILES)
            listen_to_file(ears, &ears->all[i]);
        else
            listen_to_socket(ears, &ears->all[i]);
    }
}

unsigned ears_count(const struct ears *ears, size_t place, size_t probe)
{
    return ears->all[place].heard[probe].count;
}

unsigned ears_severity(const struct ears *ears, size_t place, size_t probe)
{
    return ears->all[place].heard[probe].severity;
}
