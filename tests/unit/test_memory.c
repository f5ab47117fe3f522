// SPDX-License-Identifier: BSD-2-Clause
#include "support.h"

#include "base/memory.h"

#include <sys/wait.h>
#include <unistd.h>

// What a child writes on standard error while `run` runs, and its status.
static int run_in_child(void (*run)(void), char *out, size_t size)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        run();
        _exit(0);
    }
    close(ends[1]);
    size_t n = 0;
    ssize_t got = 1;
    while (got > 0 && n < size - 1) {
        got = read(ends[0], out + n, size - 1 - n);
        n += got > 0 ? (size_t)got : 0;
    }
    out[n] = '\0';
    close(ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void need_nothing(void)
{
    memory_need(NULL);
}

TEST(the_end_of_memory_ends_the_process_with_a_line)
{
    char line[512];
    const int status = run_in_child(need_nothing, line, sizeof line);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 1);
    assert_int_equal(strncmp(line, "out of memory: ", 15), 0);
    assert_ptr_equal(strchr(line, '\n'), line + strlen(line) - 1);
}

TEST(memory_of_size_0_is_memory)
{
    free(memory_get(0));
    free(memory_zeroed(0, 8));
    free(memory_resize(memory_resize(NULL, 0, 8), 8, 0));
}

TEST(memory_grows_with_what_it_has)
{
    char *text = memory_resize(memory_copy("leaf1"), 2, 8);
    assert_string_equal(text, "leaf1");
    free(text);
    int *zeroed = memory_zeroed(4, sizeof *zeroed);
    assert_int_equal(zeroed[0] | zeroed[3], 0);
    free(zeroed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_of_memory_ends_the_process_with_a_line),
        cmocka_unit_test(memory_of_size_0_is_memory),
        cmocka_unit_test(memory_grows_with_what_it_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
