// SPDX-License-Identifier: BSD-2-Clause
// Arbitrary answers of a RELP receiver: frames of any octets.
#include "fuzz.h"

#include "sink/relp.h"

#include <string.h>

static void check_answer(const struct relp_frame *f)
{
    struct relp_answer a;
    if (!relp_frame_answer(f, &a))
        return;
    REQUIRE(a.code <= 999);
    REQUIRE(a.message >= f->data && a.message + a.message_size <= f->data + f->size);
    REQUIRE(a.more >= f->data && a.more + a.more_size == f->data + f->size);
}

// Writing the parts of a parsed frame gives the same frame.
static void check_again(const struct relp_frame *f)
{
    struct relp_frame again;
    size_t size = f->size + 64;
    char *buffer = malloc(size);
    REQUIRE(buffer);
    struct text t = text_in(buffer, size);
    relp_frame_add(&t, f->transaction, f->command, f->data, f->size);
    REQUIRE(relp_frame_parse(t.buf, t.len, &again) == (long)t.len);
    REQUIRE(again.transaction == f->transaction && strcmp(again.command, f->command) == 0);
    REQUIRE(again.size == f->size && memcmp(again.data, f->data, f->size) == 0);
    free(buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *p = (const char *)data, *end = p + size;
    struct relp_frame f;
    long n;
    while ((n = relp_frame_parse(p, (size_t)(end - p), &f)) > 0) {
        REQUIRE(n <= end - p);
        REQUIRE(f.data >= p && f.data + f.size <= p + n);
        check_answer(&f);
        check_again(&f);
        p += n;
    }
    return 0;
}
