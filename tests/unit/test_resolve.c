// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "sink/resolve.h"

#include <netdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static struct error err;
static struct resolve_address found[RESOLVE_MAX];

#define FOR_EVER_US INT64_C(3600000000)

// A name server that answers at the test's word.
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static atomic_int answered;

static size_t slow(const char *host, uint16_t port, enum resolve_order order,
                   struct resolve_address out[RESOLVE_MAX], struct error *e)
{
    (void)order;
    (void)e;
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    out[0].length = port;
    snprintf(out[0].text, sizeof out[0].text, "%s", host);
    atomic_fetch_add(&answered, 1);
    return 1;
}

static size_t none(const char *host, uint16_t port, enum resolve_order order,
                   struct resolve_address out[RESOLVE_MAX], struct error *e)
{
    (void)order;
    (void)port;
    (void)out;
    error_set(e, "nobody knows '%s'", host);
    return 0;
}

static void wait_for(atomic_int *count, int n)
{
    while (atomic_load(count) < n)
        usleep(1000);
}

TEST(numbers_need_no_look_up)
{
    assert_int_equal(resolve_all("192.0.2.1", 514, RESOLVE_AS_FOUND, found, &err), 1);
    assert_string_equal(found[0].text, "192.0.2.1");
    assert_int_equal(resolve_all("2001:db8::1", 514, RESOLVE_AS_FOUND, found, &err), 1);
    assert_string_equal(found[0].text, "2001:db8::1");
    assert_int_equal(found[0].storage.ss_family, AF_INET6);
}

TEST(a_name_is_looked_up)
{
    struct addrinfo *known;
    if (getaddrinfo("localhost", NULL, NULL, &known) != 0)
        skip(); // a root to build packages in may have no /etc/hosts
    freeaddrinfo(known);
    assert_true(resolve_all("localhost", 514, RESOLVE_AS_FOUND, found, &err) > 0);
    assert_true(strcmp(found[0].text, "127.0.0.1") == 0 || strcmp(found[0].text, "::1") == 0);
    assert_int_equal(resolve_all("no.such.host.invalid", 514, RESOLVE_AS_FOUND, found, &err), 0);
    assert_non_null(strstr(err.text, "cannot resolve 'no.such.host.invalid': "));
}

TEST(what_the_look_up_says_is_passed_on)
{
    assert_int_equal(resolve_within(FOR_EVER_US, slow, "nms", 162, RESOLVE_AS_FOUND, found, &err),
                     1);
    assert_string_equal(found[0].text, "nms");
    assert_int_equal(found[0].length, 162);
    assert_int_equal(resolve_within(FOR_EVER_US, none, "nms", 162, RESOLVE_AS_FOUND, found, &err),
                     0);
    assert_string_equal(err.text, "nobody knows 'nms'");
}

TEST(nobody_waits_for_a_name_server_that_does_not_answer)
{
    answered = 0;
    pthread_mutex_lock(&gate);
    assert_int_equal(resolve_within(0, slow, "nms", 162, RESOLVE_AS_FOUND, found, &err), 0);
    assert_string_equal(err.text, "cannot resolve 'nms': the name server does not answer");
    assert_int_equal(answered, 0);
    pthread_mutex_unlock(&gate);
    wait_for(&answered, 1);
}

TEST(so_many_look_ups_may_wait)
{
    answered = 0;
    pthread_mutex_lock(&gate);
    for (int i = 0; i < RESOLVE_THREADS_MAX; i++)
        assert_int_equal(resolve_within(0, slow, "nms", 162, RESOLVE_AS_FOUND, found, &err), 0);
    assert_int_equal(resolve_within(FOR_EVER_US, slow, "nms", 162, RESOLVE_AS_FOUND, found, &err),
                     0);
    assert_string_equal(err.text,
                        "cannot resolve 'nms': too many look-ups wait for the name server");
    pthread_mutex_unlock(&gate);
    wait_for(&answered, RESOLVE_THREADS_MAX);
    while (resolve_within(FOR_EVER_US, slow, "nms", 162, RESOLVE_AS_FOUND, found, &err) == 0)
        usleep(1000); // the last threads are about to end
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_need_no_look_up),
        cmocka_unit_test(a_name_is_looked_up),
        cmocka_unit_test(what_the_look_up_says_is_passed_on),
        cmocka_unit_test(nobody_waits_for_a_name_server_that_does_not_answer),
        cmocka_unit_test(so_many_look_ups_may_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
