// SPDX-License-Identifier: BSD-2-Clause
// Receiver modules: which modules are loaded, which modules are refused and how, and the sink in
// front of a module.
#include "support.h"

#include "install.h"
#include "sink/module.h"

#include <sys/stat.h>
#include <unistd.h>

enum { CHECKED, MADE, OPENED, SENT, WAITED, IDLE, CLOSED, FREED, COUNTS };

static unsigned counts[COUNTS], *const options = counts;
static const char *directory;
static char path[256];
static struct error err;

// Puts a copy of one of the build's modules where modules are.
static void put(const char *module, mode_t mode)
{
    char from[256], octets[4096];
    size_t n;
    snprintf(from, sizeof from, MODULES "/%s.so", module);
    snprintf(path, sizeof path, "%s/made.so", directory);
    FILE *in = fopen(from, "rb"), *out = fopen(path, "wb");
    assert_true(in && out);
    while ((n = fread(octets, 1, sizeof octets, in)) > 0)
        assert_int_equal(fwrite(octets, 1, n, out), n);
    fclose(in);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static const struct module_use *use(void)
{
    static struct module_use made;
    made = (struct module_use){.kind = "made",
                               .file = "made",
                               .package = "ibtrapd-made",
                               .options = &options,
                               .in_flight_max = 7};
    return &made;
}

static void refused_as(const char *part)
{
    err.text[0] = '\0';
    assert_false(module_check(use(), &err));
    if (!strstr(err.text, part))
        fail_msg("'%s' does not say '%s'", err.text, part);
    assert_int_equal(counts[CHECKED], 0);
}

static int setup(void **state)
{
    (void)state;
    memset(counts, 0, sizeof counts);
    directory = scratch_make();
    module_set_directory(directory);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    scratch_remove(directory);
    return 0;
}

TEST(a_missing_module_names_its_package)
{
    refused_as("receivers of the kind made need the package ibtrapd-made");
    scratch_remove(directory);
    refused_as("need the package ibtrapd-made");
}

TEST(a_module_of_another_version_is_refused)
{
    put("other-version", 0644);
    refused_as("is of version 0.0.9, and ibtrapd is " INSTALL_VERSION);
    put("other-interface", 0644);
    refused_as("is of version ");
    put("other-layout", 0644);
    refused_as("is of another build of version ");
}

TEST(what_is_no_module_is_refused)
{
    put("no-module", 0644);
    refused_as("is not a module of ibtrapd");
    FILE *f = fopen(path, "wb");
    fputs("hello", f);
    fclose(f);
    refused_as("cannot load the module of the package ibtrapd-made");
    unlink(path);
    assert_int_equal(mkdir(path, 0755), 0);
    refused_as("is not a regular file");
    rmdir(path);
}

TEST(a_module_that_others_can_write_is_refused)
{
    put("made", 0664);
    refused_as("others can write");
    put("made", 0646);
    refused_as("others can write");
    put("made", 0644);
    assert_int_equal(chmod(directory, 0777), 0);
    refused_as("others can write");
    assert_int_equal(chmod(directory, 0700), 0);
    assert_true(module_check(use(), &err));
}

TEST(a_module_of_another_owner_is_refused)
{
    if (geteuid() != 0)
        skip();
    put("made", 0644);
    assert_int_equal(chown(path, 12345, 0), 0);
    refused_as("belongs to user 12345");
    assert_int_equal(chown(path, 0, 0), 0);
    assert_int_equal(chown(directory, 12345, 0), 0);
    refused_as("belongs to user 12345");
    assert_int_equal(chown(directory, 0, 0), 0);
}

TEST(the_module_may_refuse_the_options)
{
    put("made", 0644);
    counts[CHECKED] = 9;
    assert_false(module_check(use(), &err));
    assert_string_equal(err.text, "made: nine");
}

TEST(a_receiver_waits_for_its_module)
{
    struct sink sink;
    struct event event = {0};
    module_sink(&sink, "bus", use());
    assert_string_equal(sink.name, "bus");
    assert_string_equal(sink.kind, "made");
    assert_int_equal(sink.in_flight_max, 7);
    assert_false(sink.open(sink.self, NULL, &err));
    assert_non_null(strstr(err.text, "ibtrapd-made"));
    put("made", 0644);
    counts[CHECKED] = 9;
    assert_false(sink.open(sink.self, NULL, &err));
    assert_string_equal(err.text, "made bus: nine");
    counts[CHECKED] = 0;
    for (unsigned i = 1; i <= 2; i++) {
        assert_true(sink.open(sink.self, NULL, &err));
        assert_int_equal(sink.send(sink.self, &event, &err), SINK_PENDING);
        assert_true(sink.wait(sink.self, 0, &err));
        sink.idle(sink.self);
        assert_int_equal(counts[IDLE], i);
        sink.close(sink.self);
        assert_int_equal(counts[OPENED] + counts[SENT] + counts[WAITED] + counts[CLOSED], 4 * i);
    }
    assert_int_equal(counts[MADE], 1);
    sink.free(sink.self);
    assert_int_equal(counts[FREED], 1);
    assert_false(module_settle(1));
    assert_true(module_settle(2));
}

TEST(a_receiver_may_end_before_its_module_came)
{
    struct sink sink;
    module_sink(&sink, "bus", use());
    sink.free(sink.self);
    assert_int_equal(counts[FREED], 0);
}

#define MODULE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MODULE_TEST(a_missing_module_names_its_package),
        MODULE_TEST(a_module_of_another_version_is_refused),
        MODULE_TEST(what_is_no_module_is_refused),
        MODULE_TEST(a_module_that_others_can_write_is_refused),
        MODULE_TEST(a_module_of_another_owner_is_refused),
        MODULE_TEST(the_module_may_refuse_the_options),
        MODULE_TEST(a_receiver_waits_for_its_module),
        MODULE_TEST(a_receiver_may_end_before_its_module_came),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
