// A contestant (contestant.h): attention by oneDNN 2 as matmul, softmax, matmul, each for all heads
// at once: build/.../bench_onednn core n=2048 heads=8 d=64; with back=yes the gradients of all three
// after it, four products and the softmax's own way back. Built only where its header is installed.
#include <oneapi/dnnl/dnnl.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

using dnnl::memory;

// The value of NAME=VALUE; the word that comes first holds.
static long number(char **words, const std::string &name, long otherwise)
{
    for (; *words != nullptr; words++)
        if (std::strncmp(*words, (name + "=").c_str(), name.size() + 1) == 0)
            return std::atol(*words + name.size() + 1);
    return otherwise;
}

static bool has(char **words, const char *word)
{
    for (; *words != nullptr; words++)
        if (std::strcmp(*words, word) == 0)
            return true;
    return false;
}

// As fill_random in work.c has it.
static void fill(memory &into, float scale, unsigned seed)
{
    auto *out = static_cast<float *>(into.get_data_handle());
    for (size_t i = 0; i < into.get_desc().get_size() / sizeof(float); i++) {
        seed = seed * 1664525u + 1013904223u;
        const auto bits = static_cast<float>(seed >> 8 & 0xffff);
        out[i] = (bits / 32768.0f - 1) * std::sqrt(3.0f) * scale;
    }
}

struct Core {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    memory q, k, v, scores, out;
    dnnl::matmul compare, combine;
    dnnl::softmax_forward softmax;
    bool goes_back;
    // Of the way back: what comes to the output, to weights, in whose place then to scores, and to
    // the inputs.
    memory up, to_scores, to_q, to_k, to_v;
    dnnl::matmul of_weights, of_q, of_rows; // of_rows: the first one turned
    dnnl::softmax_backward of_softmax;

    Core(long n, long heads, long d, float sharp, bool goes_back) : goes_back(goes_back)
    {
        const auto rows = memory::format_tag::abc, columns = memory::format_tag::acb;
        memory::desc inputs({heads, n, d}, memory::data_type::f32, rows);
        memory::desc transposed({heads, d, n}, memory::data_type::f32, columns);
        memory::desc square({heads, n, n}, memory::data_type::f32, rows);
        q = memory(inputs, engine), k = memory(transposed, engine), v = memory(inputs, engine);
        scores = memory(square, engine), out = memory(inputs, engine);
        fill(q, sharp, 1), fill(k, 1, 2), fill(v, 1, 3);
        dnnl::primitive_attr scaled;
        scaled.set_output_scales(0, {1 / std::sqrt(static_cast<float>(d))});
        compare = dnnl::matmul({{inputs, transposed, square}, scaled, engine});
        softmax = dnnl::softmax_forward({{dnnl::prop_kind::forward_inference, square, 2}, engine});
        combine = dnnl::matmul({{square, inputs, inputs}, engine});
        if (goes_back)
            prepare_back(inputs, transposed, square, scaled);
    }

    void prepare_back(const memory::desc &inputs, const memory::desc &transposed,
                      const memory::desc &square, const dnnl::primitive_attr &scaled)
    {
        const dnnl::softmax_forward::primitive_desc forward(
            {dnnl::prop_kind::forward_training, square, 2}, engine);
        const auto sizes = square.dims();
        const memory::desc turned(sizes, memory::data_type::f32, memory::format_tag::acb);
        up = memory(inputs, engine), to_scores = memory(square, engine);
        to_q = memory(inputs, engine), to_k = memory(inputs, engine), to_v = memory(inputs, engine);
        fill(up, 1, 4);
        of_weights = dnnl::matmul({{inputs, transposed, square}, engine});
        of_softmax = dnnl::softmax_backward({{square, square, 2}, engine, forward});
        of_q = dnnl::matmul({{square, inputs, inputs}, scaled, engine});
        of_rows = dnnl::matmul({{turned, inputs, inputs}, engine});
    }

    // What lies as rows is read as columns where a matrix is turned. k's own rows are its columns.
    void run_back()
    {
        of_rows.execute(stream,
                        {{DNNL_ARG_SRC, scores}, {DNNL_ARG_WEIGHTS, up}, {DNNL_ARG_DST, to_v}});
        of_weights.execute(
            stream, {{DNNL_ARG_SRC, up}, {DNNL_ARG_WEIGHTS, v}, {DNNL_ARG_DST, to_scores}});
        of_softmax.execute(stream, {{DNNL_ARG_DST, scores},
                                    {DNNL_ARG_DIFF_DST, to_scores},
                                    {DNNL_ARG_DIFF_SRC, to_scores}});
        of_q.execute(stream,
                     {{DNNL_ARG_SRC, to_scores}, {DNNL_ARG_WEIGHTS, k}, {DNNL_ARG_DST, to_q}});
        of_rows.execute(stream,
                        {{DNNL_ARG_SRC, to_scores}, {DNNL_ARG_WEIGHTS, q}, {DNNL_ARG_DST, to_k}});
    }

    void run()
    {
        compare.execute(stream, {{DNNL_ARG_SRC, q}, {DNNL_ARG_WEIGHTS, k}, {DNNL_ARG_DST, scores}});
        softmax.execute(stream, {{DNNL_ARG_SRC, scores}, {DNNL_ARG_DST, scores}});
        combine.execute(stream,
                        {{DNNL_ARG_SRC, scores}, {DNNL_ARG_WEIGHTS, v}, {DNNL_ARG_DST, out}});
        if (goes_back)
            run_back();
        stream.wait();
    }
};

int main(int, char **argv)
{
    using clock = std::chrono::steady_clock;
    Core core(number(argv, "n", 2048), number(argv, "heads", 8), number(argv, "d", 64),
              static_cast<float>(number(argv, "sharp", 1)), has(argv, "back=yes"));
    std::cout << "ready" << std::endl;
    for (long times; std::cin >> times;) {
        std::chrono::duration<double, std::milli> least = std::chrono::hours(1);
        for (; times > 0; times--) {
            const auto before = clock::now();
            core.run();
            least = std::min<decltype(least)>(least, clock::now() - before);
        }
        std::cout << least.count() << std::endl;
    }
}
