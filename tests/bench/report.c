#include "bench/report.h"

#include "kernels/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct spread {
    double min, median, max;
} spread;

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static spread spread_of(double *numbers, size_t count)
{
    qsort(numbers, count, sizeof numbers[0], by_size);
    return (spread){numbers[0], numbers[count / 2], numbers[count - 1]};
}

/* ---- numbers ---- */

static spread time_of(const contest *c, size_t entry)
{
    double ms[ROUNDS_MOST];
    for (size_t i = 0; i < c->rounds; i++)
        ms[i] = c->measured[i][entry];
    return spread_of(ms, c->rounds);
}

static spread share_of_peak(const contest *c)
{
    double share[ROUNDS_MOST];
    for (size_t i = 0; i < c->rounds; i++)
        share[i] = c->peak[i] / c->measured[i][0];
    return spread_of(share, c->rounds);
}

static spread times_as_fast(const contest *c, size_t entry)
{
    double ratio[ROUNDS_MOST];
    for (size_t i = 0; i < c->rounds; i++)
        ratio[i] = c->measured[i][entry] / c->measured[i][0];
    return spread_of(ratio, c->rounds);
}

static spread value_of(const row *r, const contest *c)
{
    double value[ROUNDS_MOST];
    for (size_t i = 0; i < c->rounds; i++)
        value[i] = r->value(c->measured[i]);
    return spread_of(value, c->rounds);
}

static const char *verdict(const row *r, double median)
{
    double sign = r->at_most ? -1 : 1;
    return sign * median >= sign * r->goal  ? "goal"
           : sign * median >= sign * r->bar ? "bar"
                                            : "below";
}

/* ---- lines ---- */

static void processor_name(char *name, size_t size)
{
    FILE *info = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "a processor without a name");
    while (info != NULL && fgets(name, (int)size, info) != NULL) {
        if (strncmp(name, "model name", 10) != 0)
            continue;
        char *value = strchr(name, ':') + 2;
        value[strcspn(value, "\n")] = '\0';
        memmove(name, value, strlen(value) + 1);
        break;
    }
    if (info != NULL)
        fclose(info);
}

/* How many threads wanted to run in the last minute; below 0 where nobody says. */
static double load(void)
{
    double minute = -1;
    FILE *file = fopen("/proc/loadavg", "r");
    if (file != NULL && fscanf(file, "%lf", &minute) != 1)
        minute = -1;
    if (file != NULL)
        fclose(file);
    return minute;
}

void report_head(void)
{
    char name[256];
    processor_name(name, sizeof name);
    printf("%s, %s, load before this %.2f\n", name, isa_best()->named.name, load());
    puts("ms: ours, the median. peak: the share of bare multiply-adds that it reaches. Then how "
         "many "
         "times\nas long the other takes, or what the last column says; ≤ where less is better.\n");
    printf("%-22s %3s %9s %5s  %-22s %6s %6s %6s  %6s %6s\n", "work", "thr", "ms", "peak",
           "against", "min", "median", "max", "bar", "goal");
}

static void print_start(const row *r, const contest *c, size_t threads)
{
    printf("%-22s %3zu %9.2f ", r->name, threads, time_of(c, 0).median);
    if (c->has_peak)
        printf("%5.2f", share_of_peak(c).median);
    else
        printf("%5s", "");
}

static void print_spread(const row *r, const char *against, spread s)
{
    const char *sign = r->at_most ? "≤" : "≥";
    printf("  %-22s %6.2f %6.2f %6.2f  %s%5.2f %s%5.2f %s\n", against, s.min, s.median, s.max, sign,
           r->bar, sign, r->goal, verdict(r, s.median));
}

static void print_rival(const row *r, const contest *c, size_t entry)
{
    char against[64];
    const rival *who = rival_of(r->entry[entry]);
    const char *more = strchr(r->entry[entry], ' ');
    snprintf(against, sizeof against, "%s%s", who->shown, more == NULL ? "" : more);
    if (c->is_here[entry])
        print_spread(r, against, times_as_fast(c, entry));
    else
        printf("  %-22s %6s needs %s\n", against, "-", who->to_have_it);
}

static bool all_are_here(const contest *c)
{
    size_t here = 0;
    for (size_t i = 0; i < c->entries; i++)
        here += c->is_here[i];
    return here == c->entries;
}

void report_row(const row *r, const contest *c, size_t threads)
{
    print_start(r, c, threads);
    if (r->value != NULL && all_are_here(c))
        print_spread(r, r->against, value_of(r, c));
    else if (r->value != NULL)
        printf("  %-22s %6s  (not on this machine)\n", r->against, "-");
    for (size_t i = 1; r->value == NULL && i < c->entries; i++) {
        if (i > 1)
            printf("%-42s", "");
        print_rival(r, c, i);
    }
    fflush(stdout);
}
