#include "daemon/heartbeat.h"

#include "base/text.h"

#include <inttypes.h>

void heartbeat_describe(const struct heartbeat *heartbeat, char *out, size_t size)
{
    struct text t = text_in(out, size);
    text_addf(&t, "%" PRIu64 " event%s in %u s, ", heartbeat->events,
              heartbeat->events == 1 ? "" : "s", heartbeat->period_s);
    if (heartbeat->failing > 0)
        text_addf(&t, "%zu of %zu receivers failing, ", heartbeat->failing, heartbeat->receivers);
    else
        text_add(&t, "no receiver failing, ");
    text_addf(&t, "the subnet manager %s", heartbeat->sm_answers ? "answers" : "does not answer");
}
