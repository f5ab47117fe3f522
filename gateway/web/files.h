// SPDX-License-Identifier: BSD-2-Clause
// The files of the page. The build copies the files into the program (embed.py).
#ifndef IBTRAPD_WEB_FILES_H
#define IBTRAPD_WEB_FILES_H

#include <stddef.h>

struct page_file {
    const char *path, *type, *text;
    size_t size;
};

extern const struct page_file PAGE_FILES[]; // the last row has the path NULL

#endif
