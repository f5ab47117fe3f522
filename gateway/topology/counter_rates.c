// SPDX-License-Identifier: BSD-2-Clause
#include "topology/counter_rates.h"

#include "base/clock.h"
#include "model/fabric.h"
#include "topology/watched.h"

static bool counter_rates_limit(const double limits[ERROR_LIMITS])
{
    int i = 0;
    while (i < ERROR_LIMITS && limits[i] <= 0)
        i++;
    return i < ERROR_LIMITS;
}

bool counter_rates_have_limit(const struct counter_watch_limits *limits, bool of_link,
                              enum counter counter)
{
    if (!of_link)
        return limits->wait_raise > 0;
    return counter_rates_limit(limits->per_bit[counter]) ||
           counter_rates_limit(limits->fec_per_bit[counter]) ||
           counter_rates_limit(limits->fec_per_packet[counter]) ||
           counter_rates_limit(limits->per_hour[counter]);
}

int64_t counter_rates_covered(const struct counter_windows_time *time, const struct watched *one,
                              bool of_link, enum error_window window)
{
    const int64_t most = of_link ? time->window_us[window] : counter_windows_span(time, window);
    const int64_t least = of_link ? 60 * CLOCK_US_PER_S : 1;
    const bool later = one->since_us > time->began_us && !counter_counts_downs(one->counter);
    const int64_t watched = time->updated_us - (later ? one->since_us : time->began_us);
    return watched >= most || least >= most ? most : watched > least ? watched : least;
}

double counter_rates_wait_share(const struct counter_windows_time *time, const struct watched *one,
                                enum error_window window)
{
    const double share = (double)counter_windows_sum(&one->windows, window) *
                         COUNTER_RATES_WAIT_UNIT_US /
                         (double)counter_rates_covered(time, one, false, window);
    return share < 1 ? share : 1;
}

static bool counter_rates_correct(const struct watched *one)
{
    return one->corrects || (one->speed != 0 && !fabric_is_slower(one->speed, FABRIC_HDR));
}

// Sets `unit` to the unit of the limits, and `each` to the number of such units in a second.
static const double *counter_rates_find(const struct counter_watch_limits *limits,
                                        const struct watched *one, enum error_unit *unit,
                                        double *each)
{
    const bool corrects = counter_rates_correct(one);
    const double *of_packets = limits->fec_per_packet[one->counter];
    const double *of_bits =
        corrects ? limits->fec_per_bit[one->counter] : limits->per_bit[one->counter];
    *unit = ERRORS_PER_PACKET;
    *each = (double)one->packets;
    if (corrects && *each > 0 && counter_rates_limit(of_packets))
        return of_packets;
    *unit = ERRORS_PER_BIT;
    *each = fabric_bits_per_second(one->width, one->speed);
    if (*each > 0 && counter_rates_limit(of_bits))
        return of_bits;
    *unit = ERRORS_PER_HOUR;
    *each = 1 / 3600.0;
    return limits->per_hour[one->counter];
}

bool counter_rates_have_own_limit(const struct counter_watch_limits *limits, bool of_link,
                                  const struct watched *one)
{
    enum error_unit unit;
    double each;
    return of_link ? counter_rates_limit(counter_rates_find(limits, one, &unit, &each))
                   : limits->wait_raise > 0;
}

bool counter_rates_measure(const struct counter_watch_limits *limits,
                           const struct counter_windows_time *time, bool of_link,
                           const struct watched *one, enum error_level level,
                           struct counter_statement *out)
{
    double each;
    out->covered_us = counter_rates_covered(time, one, of_link, out->window);
    if (!of_link) {
        out->limit = level == ERROR_LEVEL_WARNING ? limits->wait_raise : 0;
        out->rate = counter_rates_wait_share(time, one, out->window);
        return out->limit > 0;
    }
    out->limit = counter_rates_find(limits, one, &out->unit,
                                    &each)[(int)level * ERROR_WINDOWS + (int)out->window];
    if (one->settling && out->unit != ERRORS_PER_HOUR)
        out->limit *= COUNTER_RATES_SETTLING;
    out->errors = counter_windows_sum(&one->windows, out->window);
    const double seconds = (double)out->covered_us / (double)CLOCK_US_PER_S;
    out->rate = (double)out->errors / seconds / each;
    return out->limit > 0;
}

bool counter_rates_are_over(const struct counter_windows_time *time, const struct watched *one,
                            const struct counter_statement *found, double part, uint64_t errors_min)
{
    const bool sure = found->unit != ERRORS_PER_HOUR && counter_rates_correct(one);
    return found->rate * (double)found->covered_us >
               found->limit * part * (double)time->window_us[found->window] &&
           (found->errors >= errors_min || sure);
}
