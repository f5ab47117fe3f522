// SPDX-License-Identifier: BSD-2-Clause
// Keeps the memory that an input frees for the next input. Otherwise the large pieces would go back
// to the system and come again, page by page, for each.
#include <malloc.h>

enum { LARGE = 8 << 20, KEPT = 256 << 20 };

__attribute__((constructor)) static void keep_memory(void)
{
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, KEPT);
}
