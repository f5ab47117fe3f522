// SPDX-License-Identifier: BSD-2-Clause
#include "model/event.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/catalogue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// Whether this build has a sanitizer. GCC tells by macros, clang by features.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define EVENT_HAS_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(EVENT_HAS_SANITIZER)
enum { EVENT_IS_WATCHED = true };
#else
enum { EVENT_IS_WATCHED = false };
#endif

// Spare events: malloc takes long for blocks of this size, longer than to write an event's JSON.
// While another thread has the lock, a thread asks malloc: the kernel may have stopped the other.

enum { EVENT_SPARES_MAX = 64 };

static struct {
    pthread_mutex_t lock;
    size_t count;
    struct event *all[EVENT_SPARES_MAX];
} event_spares = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Builds with a sanitizer use no spare events: the sanitizer finds users of a freed event.
static bool event_lock_spares(void)
{
    return !EVENT_IS_WATCHED && pthread_mutex_trylock(&event_spares.lock) == 0;
}

// Makes the event as event_make promises. The long texts are nearly half of an event, and mostly
// empty.
static struct event *event_clear(struct event *event)
{
    memset(event, 0, offsetof(struct event, text));
    event->text[0] = event->reason[0] = event->dates[0] = '\0';
    event->link_cause[0] = event->device_text[0] = '\0';
    event->module_vendor[0] = event->module_part[0] = '\0';
    event->module_serial[0] = event->former_serial[0] = '\0';
    return event;
}

static struct event *event_take(void)
{
    struct event *event = NULL;
    if (event_lock_spares()) {
        if (event_spares.count > 0)
            event = event_spares.all[--event_spares.count];
        pthread_mutex_unlock(&event_spares.lock);
    }
    return event ? event_clear(event) : memory_zeroed(1, sizeof *event);
}

static void event_give_back(struct event *event)
{
    if (event_lock_spares()) {
        if (event_spares.count < EVENT_SPARES_MAX) {
            event_spares.all[event_spares.count++] = event;
            event = NULL;
        }
        pthread_mutex_unlock(&event_spares.lock);
    }
    free(event);
}

void event_write_id(char out[EVENT_ID_SIZE], const uint8_t uuid[EVENT_UUID_SIZE])
{
    struct text t = text_in(out, EVENT_ID_SIZE);
    static const size_t GROUPS[] = {4, 2, 2, 2, 6};
    for (size_t i = 0; i < sizeof GROUPS / sizeof *GROUPS; uuid += GROUPS[i++]) {
        text_add(&t, i ? "-" : "");
        text_add_hex(&t, uuid, GROUPS[i]);
    }
}

struct event *event_make(const struct catalogue_entry *type)
{
    struct event *event = event_take();
    atomic_init(&event->references, 1);
    event->type = type;
    if (type) {
        event->severity = type->severity;
        event->category = type->category;
    }
    return event;
}

// Does not read the references and the texts: other threads may change both meanwhile.
struct event *event_copy(const struct event *event)
{
    const size_t rest = offsetof(struct event, type);
    struct event *copy = event_make(NULL);
    memcpy((char *)copy + rest, (const char *)event + rest, sizeof *copy - rest);
    return copy;
}

enum severity event_own_severity(const struct event *event)
{
    const bool error = event->severe && event->type->alarm == ALARM_RAISES;
    return error ? SEVERITY_ERROR : event->type->severity;
}

void event_unjudge(struct event *event)
{
    event->suppressed[0] = event->rule[0] = event->clears_id[0] = '\0';
    event->cause_number = event->told_number = 0;
    event->apart = false;
    event->severity = event_own_severity(event);
    event->category = event->type->category;
}

void event_add_other_name(struct event *event, uint64_t guid, const char *name)
{
    size_t at = 0;
    while (at < event->other_name_count &&
           (event->other_names[at].guid != guid || strcmp(event->other_names[at].name, name) != 0))
        at++;
    if (at < event->other_name_count || at == EVENT_OTHER_NAMES_MAX || name[0] == '\0')
        return;
    struct event_other_name *added = &event->other_names[event->other_name_count++];
    added->guid = guid;
    struct text t = text_in(added->name, sizeof added->name);
    text_add(&t, name);
}

uint32_t event_index(const struct event *event)
{
    uint32_t index = (uint32_t)event->number & INT32_MAX;
    return index != 0 ? index : 1;
}

uint32_t event_times(const struct event *event)
{
    if (event->repeat_count == 0)
        return 1;
    return event->repeat_count < INT32_MAX ? (uint32_t)event->repeat_count : INT32_MAX;
}

uint8_t event_type_of(const struct event *event, uint64_t node_guid)
{
    const struct endpoint *const who[] = {&event->subject, &event->peer, &event->issuer};
    for (size_t i = 0; i < sizeof who / sizeof *who; i++) {
        if (who[i]->node_guid == node_guid && who[i]->type != 0)
            return who[i]->type;
    }
    return event->former.node_guid == node_guid ? event->former.type : 0;
}

bool event_is_own(const struct event *event)
{
    const bool is_end = event->type->origin == CATALOGUE_FROM_ALARM && event->cleared;
    return catalogue_is_own(is_end ? event->cleared : event->type);
}

void event_complete_cleared(struct event *event)
{
    if (!event->cleared || event->cleared_category != 0)
        return;
    event->cleared_severity = event->cleared->severity;
    event->cleared_category = event->cleared->category;
}

enum alarm_role event_alarm(const struct event *event)
{
    return event->alarm_key[0] != '\0' ? event->type->alarm : ALARM_NONE;
}

// Texts.

static atomic_size_t event_text_kept; // octets

// Builds with a sanitizer prove that nobody changes an event after the event has a text.
static uint64_t event_text_seal(const struct event *event)
{
    uint64_t seal = DIGEST_OF_NOTHING;
    for (size_t at = offsetof(struct event, type); EVENT_IS_WATCHED && at < sizeof *event;
         at += sizeof seal) {
        uint64_t word;
        memcpy(&word, (const char *)event + at, sizeof word);
        seal = (seal ^ word) * UINT64_C(0x100000001b3);
    }
    return seal;
}

const struct event_text *event_text_find(const struct event *event, unsigned place,
                                         uint64_t variant)
{
    const struct event_text *text =
        atomic_load_explicit(&event->texts[place], memory_order_acquire);
    if (!text || text->variant != variant)
        return NULL;
    if (text->seal != event_text_seal(event))
        abort();
    return text;
}

size_t event_text_octets(void)
{
    return atomic_load_explicit(&event_text_kept, memory_order_relaxed);
}

// Takes the octets from the bound of all events. False: too few are left.
static bool event_text_claim(size_t size)
{
    if (atomic_fetch_add_explicit(&event_text_kept, size, memory_order_relaxed) + size <=
        EVENT_TEXT_OCTETS_MAX)
        return true;
    atomic_fetch_sub_explicit(&event_text_kept, size, memory_order_relaxed);
    return false;
}

static void event_text_free(struct event_text *text)
{
    if (text)
        atomic_fetch_sub_explicit(&event_text_kept, sizeof *text + text->size,
                                  memory_order_relaxed);
    free(text);
}

static struct event_text *event_text_make(const struct event *event, uint64_t variant,
                                          const void *octets, size_t size)
{
    if (!event_text_claim(sizeof(struct event_text) + size))
        return NULL;
    struct event_text *text = memory_get(sizeof *text + size);
    text->variant = variant;
    text->size = size;
    text->seal = event_text_seal(event);
    memcpy(text->octets, octets, size);
    return text;
}

bool event_text_is_wanted(const struct event *event, unsigned place)
{
    return event->for_several &&
           atomic_load_explicit(&event->references, memory_order_relaxed) > 1 &&
           !atomic_load_explicit(&event->texts[place], memory_order_relaxed) &&
           event_text_octets() < EVENT_TEXT_OCTETS_MAX;
}

void event_text_keep(const struct event *event, unsigned place, uint64_t variant,
                     const void *octets, size_t size)
{
    // The texts are no part of the event's value: const does not include the texts. Only event_make
    // makes counted events.
    struct event *holder = (struct event *)event;
    if (!event_text_is_wanted(event, place))
        return;
    struct event_text *nothing = NULL, *text = event_text_make(event, variant, octets, size);
    if (text &&
        !atomic_compare_exchange_strong_explicit(&holder->texts[place], &nothing, text,
                                                 memory_order_acq_rel, memory_order_relaxed))
        event_text_free(text); // another thread was first
}

// References.

struct event *event_ref(struct event *event)
{
    atomic_fetch_add_explicit(&event->references, 1, memory_order_relaxed);
    return event;
}

void event_unref(struct event *event)
{
    if (!event || atomic_fetch_sub_explicit(&event->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t i = 0; i < EVENT_TEXT_PLACES; i++)
        event_text_free(atomic_load_explicit(&event->texts[i], memory_order_relaxed));
    event_give_back(event);
}
