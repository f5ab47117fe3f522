// SPDX-License-Identifier: BSD-2-Clause
#include "http_server.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST_MAX = 1 << 16, BODY_MAX = 1 << 14, HEAD_MAX = 128 };

static char *copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *out = malloc(size);
    return out ? memcpy(out, text, size) : NULL;
}

bool http_libraries_begin(void)
{
    signal(SIGPIPE, SIG_IGN);
    json_set_alloc_funcs(malloc, free);
    return curl_global_init_mem(CURL_GLOBAL_DEFAULT, malloc, free, realloc, copy, calloc) ==
           CURLE_OK;
}

void http_libraries_end(void)
{
    curl_global_cleanup();
}

static int listener;
static pthread_t server;
static http_server_answer *answer_to;

static bool request_is_whole(const char *request, size_t size)
{
    const char *body = strstr(request, "\r\n\r\n");
    const char *length = strcasestr(request, "\r\nContent-Length:");
    return body &&
           (!length || size >= (size_t)(body + 4 - request) + strtoul(length + 17, NULL, 10));
}

static void answer(int connection, const char *request)
{
    static char body_buffer[BODY_MAX], head_buffer[HEAD_MAX];
    struct text body = text_in(body_buffer, sizeof body_buffer);
    struct text head = text_in(head_buffer, sizeof head_buffer);
    answer_to(request, &body);
    text_addf(&head, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n",
              body.len);
    (void)!write(connection, head_buffer, head.len);
    (void)!write(connection, body_buffer, body.len);
}

static void serve_one(int connection)
{
    static char request[REQUEST_MAX];
    size_t size = 0;
    ssize_t n;
    request[0] = '\0';
    while (!request_is_whole(request, size) &&
           (n = read(connection, request + size, sizeof request - 1 - size)) > 0) {
        size += (size_t)n;
        request[size] = '\0';
    }
    if (request_is_whole(request, size))
        answer(connection, request);
    close(connection);
}

static void *serve(void *unused)
{
    int connection;
    while ((connection = accept(listener, NULL, NULL)) >= 0)
        serve_one(connection);
    return unused;
}

int http_server_start(http_server_answer *answer_of_test, char root[64])
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    answer_to = answer_of_test;
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 16) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        return -1;
    snprintf(root, 64, "http://127.0.0.1:%u", ntohs(address.sin_port));
    return pthread_create(&server, NULL, serve, NULL);
}

int http_server_stop(void)
{
    shutdown(listener, SHUT_RDWR);
    pthread_join(server, NULL);
    return close(listener);
}
