// SPDX-License-Identifier: BSD-2-Clause
#include "flood_receivers.h"

#include "base/clock.h"
#include "base/thread.h"
#include "ctl/client.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct flood_receiver *find_or_add(struct flood_receivers *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++) {
        if (strcmp(r->all[i].name, name) == 0)
            return &r->all[i];
    }
    if (r->count == FLOOD_RECEIVERS_MAX)
        abort();
    struct flood_receiver *one = &r->all[r->count++];
    snprintf(one->name, sizeof one->name, "%s", name);
    return one;
}

static uint64_t integer(const json_t *object, const char *name)
{
    return (uint64_t)json_integer_value(json_object_get(object, name));
}

uint64_t flood_receivers_look(struct flood_receivers *receivers, const char *socket)
{
    struct error err;
    json_t *answer = client_request(socket, "receivers", json_object(), &err), *one;
    if (!answer) {
        fprintf(stderr, "bench-flood: %s\n", err.text);
        exit(EXIT_FAILURE);
    }
    int64_t now = clock_monotonic(&clock_system);
    uint64_t sum = 0;
    size_t i;
    json_array_foreach(json_object_get(answer, "receivers"), i, one)
    {
        struct flood_receiver *r =
            find_or_add(receivers, json_string_value(json_object_get(one, "name")));
        const bool confirms = json_is_integer(json_object_get(one, "delivered"));
        r->sent = integer(one, confirms ? "delivered" : "sent");
        if (r->done_at == 0 && integer(one, "queued") == 0)
            r->done_at = now;
        sum += r->sent;
    }
    json_decref(answer);
    return sum;
}

size_t flood_receivers_done(const struct flood_receivers *receivers)
{
    size_t n = 0;
    for (size_t i = 0; i < receivers->count; i++)
        n += receivers->all[i].done_at != 0;
    return n;
}

// Reads a value that stands first in a file of a task of this process.
static bool read_task(const char *task, const char *file, char *out, int size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%.16s/%s", task, file);
    FILE *in = fopen(path, "r");
    bool ok = in && fgets(out, size, in);
    if (in)
        fclose(in);
    return ok;
}

// The processor time of the thread "to NAME" in milliseconds; 0: there is none.
static double cpu_ms(const char *name)
{
    char wanted[THREAD_NAME_SIZE], found[64], times[128];
    snprintf(wanted, sizeof wanted, "to %s", name);
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *task;
    double ms = 0;
    while (tasks && (task = readdir(tasks))) {
        if (task->d_name[0] == '.' || !read_task(task->d_name, "comm", found, sizeof found))
            continue;
        found[strcspn(found, "\n")] = '\0';
        if (strcmp(found, wanted) == 0 && read_task(task->d_name, "schedstat", times, sizeof times))
            ms += strtod(times, NULL) / 1e6;
    }
    if (tasks)
        closedir(tasks);
    return ms;
}

void flood_receivers_print(const struct flood_receivers *receivers, int64_t since_us)
{
    printf(", \"receivers\": [");
    for (size_t i = 0; i < receivers->count; i++) {
        const struct flood_receiver *r = &receivers->all[i];
        printf("%s{\"name\": \"%s\", \"sent\": %llu, \"cpuMs\": %.3f, \"behindMs\": ",
               i ? ", " : "", r->name, (unsigned long long)r->sent, cpu_ms(r->name));
        if (r->done_at == 0)
            printf("null}");
        else
            printf("%.0f}", (double)(r->done_at - since_us) / 1e3);
    }
    printf("]");
}
