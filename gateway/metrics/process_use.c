// SPDX-License-Identifier: BSD-2-Clause
#include "metrics/process_use.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static int64_t process_use_of_cpu(void)
{
    struct rusage used;
    if (getrusage(RUSAGE_SELF, &used) != 0)
        return -1;
    return (int64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 +
           used.ru_utime.tv_usec + used.ru_stime.tv_usec;
}

static void process_use_of_memory(int64_t *resident, int64_t *virtual_size)
{
    *resident = *virtual_size = -1;
    FILE *file = fopen("/proc/self/statm", "re"); // both in pages
    int64_t all, in_memory;
    if (file && fscanf(file, "%" SCNd64 " %" SCNd64, &all, &in_memory) == 2) {
        *virtual_size = all * sysconf(_SC_PAGESIZE);
        *resident = in_memory * sysconf(_SC_PAGESIZE);
    }
    if (file)
        fclose(file);
}

static int64_t process_use_of_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    if (!directory)
        return -1;
    int64_t count = -1; // the directory's own
    for (const struct dirent *entry; (entry = readdir(directory));)
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

void process_use_read(struct process_use *out)
{
    struct rlimit limit;
    out->cpu_us = process_use_of_cpu();
    process_use_of_memory(&out->resident_bytes, &out->virtual_bytes);
    out->descriptors = process_use_of_descriptors();
    out->descriptors_limit = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (int64_t)limit.rlim_cur : -1;
}
