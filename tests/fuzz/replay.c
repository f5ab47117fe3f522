// SPDX-License-Identifier: BSD-2-Clause
// Runs a fuzzer's function over the files of a directory.
#include "fuzz.h"

#include <dirent.h>

enum { FILE_MAX = 1 << 20 };

static void replay(const char *directory, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    puts(path); // the last file is the input that ended the program
    fflush(stdout);
    FILE *f = fopen(path, "re");
    REQUIRE(f);
    uint8_t *content = malloc(FILE_MAX);
    REQUIRE(content);
    size_t size = fread(content, 1, FILE_MAX, f);
    REQUIRE(!ferror(f));
    fclose(f);
    // Exactly of the input's size: a sanitizer reports reads beyond the input.
    uint8_t *exact = realloc(content, size ? size : 1);
    REQUIRE(exact);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

int main(int argc, char **argv)
{
    DIR *d = argc == 2 ? opendir(argv[1]) : NULL;
    if (!d) {
        fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
        return 2;
    }
    unsigned count = 0;
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        replay(argv[1], e->d_name);
        count++;
    }
    closedir(d);
    printf("%u inputs\n", count);
    return count > 0 ? 0 : 1;
}
