// text.cpp: a matrix read from text and written as text, beside fast_float, the C++ library and
// cJSON, in one run. `make bench-text` builds it.
//
// All take turns, round after round, so that a round's times were taken within a second of each
// other; a line is the ratio of the rival's time to our own over the rounds. Each rival gets the
// tightest loop that we can write: into memory that is reserved and was touched before, without
// checking anything. Our own reader does all that the program does: memory is allocated and
// freed, the grammar is checked strictly, the shape is found.
extern "C" {
#include "bench/text.h"
}

#include <cjson/cJSON.h>
#include <fast_float/fast_float.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace
{

// A turn takes some milliseconds: short against a neighbour's disturbance, long against the clock.
constexpr size_t ROWS = 1024, COLUMNS = 1024, COUNT = ROWS * COLUMNS;
constexpr int ROUNDS = 31;

struct contestant {
    std::string name;
    std::function<size_t()> work; // returns something that must be the same for all, or 0
};

// Of the processor: what neighbours take of it does not count.
double now()
{
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

// The first time, the caches are full of what the one before has left there; the second counts.
double milliseconds(const std::function<size_t()> &work)
{
    double start = 0;
    for (int i = 0; i < 2; i++) {
        start = now();
        if (work() == 0)
            std::abort();
    }
    return now() - start;
}

// The first contestant is our own.
void hold(const std::string &what, double bytes, const std::vector<contestant> &all)
{
    std::vector<std::vector<double>> times(all.size());
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < all.size(); i++) {
            times[i].push_back(milliseconds(all[i].work));
        }
    }
    for (size_t i = 0; i < all.size(); i++) {
        std::vector<double> sorted = times[i], ratio;
        std::sort(sorted.begin(), sorted.end());
        for (int round = 0; round < ROUNDS; round++)
            ratio.push_back(times[i][round] / times[0][round]);
        std::sort(ratio.begin(), ratio.end());
        double median = sorted[ROUNDS / 2];
        std::printf("%-24s %-15s %6.2f ns, best %6.2f %6.0f MB/s  x%6.2f  (%.2f to %.2f)\n",
                    what.c_str(), all[i].name.c_str(), median * 1e6 / COUNT,
                    sorted.front() * 1e6 / COUNT, bytes / median / 1e3, ratio[ROUNDS / 2],
                    ratio.front(), ratio.back());
    }
}

// ---- reading ----

std::vector<float> numbers(COUNT);

bool begins_number(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+';
}

template <typename Convert> size_t read_with(const std::string &text, Convert convert)
{
    const char *at = text.data(), *end = at + text.size();
    float *to = numbers.data();
    while (at < end) {
        if (begins_number(*at))
            at = convert(at, end, to++);
        else
            at++;
    }
    return static_cast<size_t>(to - numbers.data());
}

size_t read_fast_float(const std::string &text)
{
    return read_with(text, [](const char *at, const char *end, float *to) {
        return fast_float::from_chars(at, end, *to).ptr;
    });
}

size_t read_from_chars(const std::string &text)
{
    return read_with(text, [](const char *at, const char *end, float *to) {
        return std::from_chars(at, end, *to).ptr;
    });
}

size_t read_cjson(const std::string &text)
{
    cJSON *all = cJSON_ParseWithLength(text.data(), text.size()), *row, *one;
    float *to = numbers.data();
    cJSON_ArrayForEach(row, all) cJSON_ArrayForEach(one, row) *to++ =
        static_cast<float>(one->valuedouble);
    cJSON_Delete(all);
    return static_cast<size_t>(to - numbers.data());
}

typedef int print_number(char *to, size_t room, double value);

std::string matrix_text(bool json, const std::vector<double> &matrix, print_number print)
{
    std::string text = json ? "[" : "";
    char number[64];
    for (size_t i = 0; i < COUNT; i++) {
        if (json && i % COLUMNS == 0)
            text += i == 0 ? "[" : "],\n[";
        text.append(number, static_cast<size_t>(print(number, sizeof number, matrix[i])));
        if (i % COLUMNS < COLUMNS - 1)
            text += json ? ", " : ",";
        else if (!json)
            text += "\n";
    }
    return json ? text + "]]\n" : text;
}

// Everybody reads the same numbers.
void check_read(const char *format, const std::string &text)
{
    std::vector<float> own(COUNT);
    read_fast_float(text);
    if (own_read(format, text.data(), text.size(), own.data()) != COUNT ||
        std::memcmp(own.data(), numbers.data(), COUNT * sizeof own[0]) != 0) {
        std::printf("FAIL %s is read otherwise than by fast_float\n", format);
        std::exit(1);
    }
}

void bench_read(const std::string &kind, const std::vector<double> &matrix, print_number print)
{
    for (const char *format : {"json", "csv"}) {
        std::string text = matrix_text(format[0] == 'j', matrix, print);
        check_read(format, text);
        std::vector<contestant> all = {
            {"selfattn", [&] { return own_read(format, text.data(), text.size(), nullptr); }},
            {"fast_float", [&] { return read_fast_float(text); }},
            {"std::from_chars", [&] { return read_from_chars(text); }}};
        if (format[0] == 'j')
            all.push_back({"cJSON", [&] { return read_cjson(text); }});
        hold("read " + std::string(format) + ", " + kind, static_cast<double>(text.size()), all);
    }
}

// ---- writing ----

template <typename T> size_t write_to_chars(const std::vector<T> &matrix, char *to)
{
    char *at = to;
    for (T value : matrix) {
        at = std::to_chars(at, at + 32, value).ptr;
        *at++ = ',';
    }
    return static_cast<size_t>(at - to);
}

void bench_write(const std::string &kind, const std::vector<double> &wide)
{
    std::vector<float> matrix(wide.begin(), wide.end());
    std::vector<char> room(COUNT * 32);
    std::function<size_t()> rival = [&] { return write_to_chars(matrix, room.data()); };
    double bytes = static_cast<double>(rival());
    hold("write numbers, " + kind, bytes,
         {{"selfattn", [&] { return own_write_numbers(matrix.data(), COUNT, room.data()); }},
          {"std::to_chars", rival}});
    for (const char *format : {"json", "csv"})
        hold("write " + std::string(format) + ", " + kind, bytes,
             {{"selfattn", [&] { return own_write(format, matrix.data(), ROWS, COLUMNS); }},
              {"std::to_chars", rival}});
    hold("write float64, " + kind, bytes,
         {{"selfattn", [&] { return own_write_wide_numbers(wide.data(), COUNT, room.data()); }},
          {"std::to_chars", [&] { return write_to_chars(wide, room.data()); }}});
}

int print_9_digits(char *to, size_t room, double value)
{
    return std::snprintf(to, room, "%.9g", static_cast<double>(static_cast<float>(value)));
}

int print_shortest(char *to, size_t room, double value)
{
    return static_cast<int>(std::to_chars(to, to + room, static_cast<float>(value)).ptr - to);
}

int print_shortest_wide(char *to, size_t room, double value)
{
    return static_cast<int>(std::to_chars(to, to + room, value).ptr - to);
}

int print_exponent(char *to, size_t room, double value) // as numpy's savetxt does
{
    return std::snprintf(to, room, "%.18e", static_cast<double>(static_cast<float>(value)));
}

int print_4_decimals(char *to, size_t room, double value)
{
    return std::snprintf(to, room, "%.4f", value);
}

} // namespace

int main(int argc, char **argv)
{
    std::mt19937_64 random(20240607);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::normal_distribution<double> normal;
    std::vector<double> flat(COUNT), round(COUNT);
    std::generate(flat.begin(), flat.end(), [&] { return uniform(random); });
    std::generate(round.begin(), round.end(), [&] { return normal(random); });
    if (argc < 2 || std::strcmp(argv[1], "read") == 0) {
        bench_read("%.9g", flat, print_9_digits);
        bench_read("shortest", flat, print_shortest);
        bench_read("normal", round, print_shortest);
        bench_read("float64", flat, print_shortest_wide);
        bench_read("%.4f", round, print_4_decimals);
        bench_read("%.18e", flat, print_exponent);
    }
    if (argc < 2 || std::strcmp(argv[1], "write") == 0) {
        bench_write("uniform", flat);
        bench_write("normal", round);
    }
}
