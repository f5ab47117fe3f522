// SPDX-License-Identifier: BSD-2-Clause
#include "model/demand.h"

#include "base/memory.h"

#include <stdlib.h>

struct demand_answer *demand_answer_new(size_t count, size_t size)
{
    struct demand_answer *answer = memory_zeroed(1, sizeof *answer + count * size);
    answer->references = 1;
    answer->count = count;
    answer->size = size;
    return answer;
}

struct demand_answer *demand_answer_ref(struct demand_answer *answer)
{
    answer->references++;
    return answer;
}

void demand_answer_unref(struct demand_answer *answer)
{
    if (answer && --answer->references == 0)
        free(answer);
}

const uint8_t *demand_answer_at(const struct demand_answer *answer, size_t at)
{
    return answer->octets + at * answer->size;
}
