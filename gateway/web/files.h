// SPDX-License-Identifier: BSD-2-Clause
// The files of the page, as the build copies them into the program (embed.py).
#ifndef IBTRAPD_WEB_FILES_H
#define IBTRAPD_WEB_FILES_H

#include <stddef.h>

struct page_file {
    const char *path, *type, *text;
    size_t size;
};

extern const struct page_file PAGE_FILES[]; // the one behind the last has the path NULL

#endif
