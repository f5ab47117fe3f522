// SPDX-License-Identifier: BSD-2-Clause
// The comparison for HTTP: a bare loop over libcurl's easy interface, which posts the same event
// again and again, so many in a request. Prints JSON.
//
//   bench-bare-http URL COUNT BATCH
#include "bare.h"

#include "base/clock.h"
#include "sink/format.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t drop(char *octets, size_t one, size_t n, void *context)
{
    (void)octets, (void)context;
    return one * n;
}

// A JSON array of `batch` equal events.
static char *make_body(unsigned long batch)
{
    char buffer[FORMAT_SIZE];
    struct text line = text_in(buffer, sizeof buffer);
    struct event *event = bare_event();
    format_line(&line, FORMAT_JSON, NULL, event);
    event_unref(event);
    const size_t size = batch * (line.len + 2) + 3;
    char *body = malloc(size);
    if (!body)
        bare_give_up("out of memory");
    struct text t = text_in(body, size);
    for (unsigned long i = 0; i < batch; i++) {
        text_add(&t, i == 0 ? "[" : ",\n");
        text_add_n(&t, line.buf, line.len);
    }
    text_add(&t, "]");
    return body;
}

static CURL *make_client(const char *url, const char *body)
{
    CURL *client = curl_easy_init();
    if (!client)
        bare_give_up("out of memory");
    curl_easy_setopt(client, CURLOPT_URL, url);
    curl_easy_setopt(client, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)strlen(body));
    curl_easy_setopt(client, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(client, CURLOPT_WRITEFUNCTION, drop);
    return client;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        bare_give_up("usage: bench-bare-http URL COUNT BATCH");
    const unsigned long count = strtoul(argv[2], NULL, 10), batch = strtoul(argv[3], NULL, 10);
    char *body = make_body(batch);
    CURL *client = make_client(argv[1], body);
    struct curl_slist *headers = curl_slist_append(NULL, "Expect:");
    curl_easy_setopt(client, CURLOPT_HTTPHEADER, headers);
    const int64_t begin = clock_monotonic(&clock_system);
    unsigned long sent = 0;
    for (; sent < count; sent += batch) {
        const CURLcode code = curl_easy_perform(client);
        if (code != CURLE_OK)
            bare_give_up(curl_easy_strerror(code));
    }
    const double seconds = (double)(clock_monotonic(&clock_system) - begin) / 1e6;
    printf("{\"sent\": %lu, \"octets\": %zu, \"s\": %.4f, \"perS\": %.0f, \"cpuUs\": %.3f}\n", sent,
           strlen(body) / batch, seconds, (double)sent / seconds,
           bare_cpu_s() * 1e6 / (double)sent);
    curl_slist_free_all(headers);
    curl_easy_cleanup(client);
    free(body);
    return EXIT_SUCCESS;
}
