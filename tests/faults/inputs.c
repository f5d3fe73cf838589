#define _GNU_SOURCE /* syscall */
#include "faults/inputs.h"

#include "cli/command.h"

#include <sys/syscall.h>
#include <unistd.h>

#define TEN_TIMES(s) s s s s s s s s s s

const input_file INPUT_FILES[] = {
    {"heads.json", "{\"name\": \"two heads\", \"tokens\": [\"a\", \"b\\u0301\", \"c\"],\n"
                   "\"x\": [[1, 0, 2, 0.5], [0, 1, 1, -1], [1, 1, 0, 2]],\n"
                   "\"wq\": [[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0], [0, 0, 1, 1]],\n"
                   "\"wk\": [[0, 0, 1, 1], [1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 1, 0]],\n"
                   "\"wv\": [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],\n"
                   "\"bq\": [0.1, 0.2, 0.3, 0.4], \"bo\": [1, -1],\n"
                   "\"wo\": [[1, 0], [0, 1], [1, 0], [0, 1]],\n"
                   "\"mask\": [[true, true, true], [true, false, true], [false, false, "
                   "true]],\n"
                   "\"bias\": [[0, 0, 0], [0.5, 0, \"-inf\"], [0, 0, 0]],\n"
                   "\"heads\": 2, \"causal\": \"upper-left\", \"_remark\": null}\n"},
    {"seed.json", "{\"name\": \"seed\", \"q\": [[1, 0], [0, 1]], \"k\": [[1, 1], [0, 2]],\n"
                  "\"v\": [[1, 2], [3, 4]], \"score\": \"dot\", \"round\": 1,\n"
                  "\"expected\": {\"scores\": [[1, 0], [1, 3]], \"weights\": [[0.73106, "
                  "null],\n"
                  "[0.26894, 0.73106]]}, \"tol\": {\"scores\": 0, \"weights\": 1e-4},\n"
                  "\"errata\": [{\"stage\": \"scores\", \"row\": 1, \"col\": 1, "
                  "\"published\": 3,\n"
                  "\"computed\": 2}]}\n"},
    {"vocab.json", "{\"vocab\": {\"the\": [-0.5, -0.5], \"cat\": [1.5, 1], \"_\": [0, 1]},\n"
                   "\"tokens\": [\"the\", \"cat\", \"_\", \"the\"], \"score\": \"dot\"}\n"},
    {"general.json", "{\"q\": [[1, 0], [0, 1]], \"k\": [[1, 1], [0, 2]], \"v\": [[1], [2]],\n"
                     "\"ws\": [[1, 2], [0, 1]], \"bs\": 0.5, \"score\": \"general\"}\n"},
    {"additive.json", "{\"q\": [[1, 0], [0, 1]], \"k\": [[1, 1], [0, 2]], \"v\": [[1], [2]],\n"
                      "\"wa\": [[1], [0]], \"ua\": [[0], [1]], \"va\": [2], \"ba\": [0.25],\n"
                      "\"score\": \"additive\"}\n"},
    {"past.json",
     "{\"x\": [[1, 0, 2, 1], [0, 1, 0, 2]], \"wk\": [[1, 0], [0, 1], [1, 1], [2, 0]],\n"
     "\"wv\": [[1, 1], [0, 1], [0, 0], [1, 0]], \"heads\": 2, \"kv_heads\": 1,\n"
     "\"past_k\": [[1, 2]], \"past_v\": [[3, 4]], \"qk_norm\": \"rms\", \"rope\": true,\n"
     "\"offset\": [1, 2]}\n"},
    {"extra.json",
     "{\"x\": [[1, 0], [0, 1]], \"heads\": 2, \"sinks\": [0.5, -1], \"alibi\": true,\n"
     "\"bias_k\": [1, 2], \"bias_v\": [0, 1], \"add_zero\": true, \"top\": 2,\n"
     "\"tokens\": [\"a\", \"b\"], \"window\": [0, 1], \"key_lengths\": [2]}\n"},
    {"apart.json", "{\"q\": [[[[1, 0]], [[0, 1]]]], \"k\": [[[[1, 2]], [[3, 1]]]],\n"
                   "\"v\": [[[[1]], [[2]]]], \"wo\": [[1], [2]]}\n"},
    {"batch.json", "{\"x\": [[[1, 0], [0, 1]], [[2, 0], [0, 0]]], \"mask\": [[1, 1], [1, "
                   "0]],\n"
                   "\"mask_axis\": \"batch\", \"scale\": \"embed\", \"heads\": 1}\n"},
    {"lines.jsonl", "{\"name\": \"1\", \"x\": [[1, 2], [3, 4]]}\n\n{\"x\": [[5]], \"dtype\": "
                    "\"f64\"}\n{\"x\": [[1], [2], [3]], \"causal\": true}\n"},
    {"results.jsonl", "{\"v\": [[1, 2], [3, 4]]}\n[[5]]\n\n{\"output\": [[1], [2], [3]]}\n"},
    {"alike.jsonl", "{\"x\": [[1, 2], [3, 4]], \"heads\": 2}\n{\"x\": [[5, 6], [7, 8]], "
                    "\"heads\": 2}\n{\"x\": [[-1, 0], [0, 2]], \"heads\": 2}\n"},
    {"rows.jsonl", "{\"x\": [[1, 2], [3, 4]], \"wq\": [[1, 0], [2, 1]], \"causal\": true}\n"
                   "[[5, 6]]\n{\"x\": [[7, 8]], \"tokens\": [\"end\"]}\n"},
    {"formula.json", "{\"m\": [[1], [2]], \"rows\": [\"=cmd\", \"b\"]}\n"},
    {"x.csv", "token,a,b\n\"the, cat\",1,0\nwalks,0.5,2\n\"\"\"on\"\"\",-1e-3,1\n"},
    {"x.tsv", "1\t0\n0.5\t2\n"},
    {"wq.csv", "# wq 2x2\n1,0\n0,1\n"},
    {"wv.csv", "1,2\n+3,.5\n"},
    {"heads.csv", "# wk head=1 2x2\n1,0\n0,1\n\n# wk head=0 2x2\n0,1\n1,0\n\n# "
                  "wq 1x2\n1,2\n"},
    {"tidy.csv", "stage,batch,head,row,col,value\nweights,,,0,1,0.5\nweights,,,0,0,0.5\n"
                 "output,,,0,0,\noutput,,,0,1,2\n"},
    {"bundle.json", "{\"layer.wq\": [[1, 0], [0, 1]], \"layer.wk\": [[0, 1], [1, 0]],\n"
                    "\"other\": {\"wv\": [[1]]}, \"name\": \"weights\", \"list\": [\"a\"]}\n"},
    {"names.json",
     "{\"a.query_key_value.weight\": [[1, 3], [5, 7], [1, 1], [2, 4], [6, 8], [0, 1]],\n"
     "\"a.query_key_value.bias\": [1, 10, 100, -1, 20, 200], \"dtype\": \"f64\",\n"
     "\"a.dense.weight\": [[2, 0], [1, 3]], \"vocab\": {\"a\": [1, 2]}}\n"},
    {"gpt2.json",
     "{\"h.0.attn.c_attn.weight\": [[1, 2, 3]], \"h.0.attn.c_attn.bias\": [1, 2, 3],\n"
     "\"h.0.attn.c_proj.weight\": [[2]], \"h.0.ln_1.weight\": [1], \"h.0.ln_2.weight\": [1],\n"
     "\"h.0.mlp.c_fc.weight\": [[1]], \"h.0.mlp.c_proj.weight\": [[1]], \"wte.weight\": [[1], "
     "[2]],\n"
     "\"h.0.mlp.c_proj.wait\": [[1]]}\n"},
    {"two.json", "{\"decoder.0.wq\": [[1]], \"decoder.0.wv\": [[1]], \"encoder.0.wq\": [[1]],\n"
                 "\"encoder.0.wv\": [[1]]}\n"},
    {"gains.json",
     "{\"a.q_proj.weight\": [[1, 3], [2, 4]], \"a.k_proj.weight\": [[5, 7], [6, 8]],\n"
     "\"a.v_proj.weight\": [[1, 1], [0, 1]], \"a.o_proj.weight\": [[2, 0], [1, 3]],\n"
     "\"a.q_norm.weight\": [2], \"a.k_norm.weight\": [3], \"a.k_proj.lora\": [1]}\n"},
    {"shards.json",
     "{\"weight_map\": {\"l.0.q_proj.weight\": \"a.st\", \"l.0.k_proj.weight\": \"b.st\",\n"
     "\"l.1.q_proj.weight\": \"a.st\", \"l.1.k_proj.weight\": \"a.st\"}}\n"},
    {"gpt2-expected.json", "{\"ids\": [1, 0], \"expected\": {\"output\": [[1], [2]]}}\n"},
    {"a.json", "{\"weights\": [[0.5, 0.5]], \"output\": [[1, \"NaN\"]], "
               "\"extra\": [[1]]}\n"},
    {"b.json", "{\"weights\": [[0.5, 0.25]], \"output\": [[1, \"NaN\"]]}\n"},
    {"made.csv",
     "# made by: selfattn 1\n# arguments: --scale 2 --top 1\n# input: x, 1 x 2, f32, hash 1\n"
     "0.5,0.5\n"},
    {"made.tidy", "# made by: selfattn 3\nrow,col,value\n# arguments: --full\n0,0,0.5\n0,1,0.5\n"},
    {"made.json",
     "{\"_header\": [\"made by: selfattn 2\", \"arguments: --causal\", \"input: q, 1 x 2, "
     "f32, hash 2\"], \"output\": [[0.5, 0.5]]}\n"},
    {"part-1.csv", "# rows: 1,3 of 3\n# input: x, 3 x 2, f32, hash 1\n1,2\n3,4\n"},
    {"rows-1.jsonl", "{\"weights\": [[0.5, 0.5]], \"output\": [[1]]}\n{\"output\": [[2]]}\n"},
    {"part-2.csv", "# rows: 2 of 3\n# input: x, 3 x 2, f32, hash 1\n5,6\n"},
    {"chosen.json", "{\"x\": [[[1, 0], [0, 1], [1, 1]], [[2, 0], [0, 0], [1, 2]]], \"rows\": "
                    "\"1,3\",\n\"mask\": [[1, 1, 0], [1, 0, 1], [1, 1, 1]], \"positions\": "
                    "\"sinusoidal\",\n\"rope\": {\"positions\": [4, 5, 6]}, \"causal\": "
                    "\"lower-right\",\n\"tokens\": [\"a\", \"b\", \"c\"],\n\"expected\": "
                    "{\"k\": null}}\n"},
    {"rows-q.json", "{\"x\": [[1], [2]], \"q\": [[1], [3]], \"rows\": \"2\"}\n"},
    {"rows-k.json", "{\"x\": [[1], [2]], \"k\": [[1], [3]], \"wv\": [[2]], \"rows\": \"2\"}\n"},
    {"rows-past.json", "{\"x\": [[1], [2]], \"past_k\": [[1]], \"past_v\": [[3]], \"tokens\": "
                       "[\"a\", \"b\"],\n\"rows\": \"2\"}\n"},
    {"layers.json",
     "{\"x\": [[1, 0], [0.5, -1], [2, 1]], \"memory\": [[1, 2, 0], [0, 1, 1]], \"heads\": 2,\n"
     "\"norm\": \"pre\", \"positions\": \"sinusoidal\", \"layers\": [\n"
     "{\"wq\": [[1, 0], [0, 1]], \"bq\": [1, 2], \"ln1\": {\"gain\": [1, 2], \"bias\": [0, 1]},\n"
     "\"cross\": {\"wk\": [[1, 0], [0, 1], [1, 1]], \"wv\": [[1, 0], [0, 1], [1, 1]]},\n"
     "\"w1\": [[1, 2, 0], [0, 1, 1]], \"w3\": [[1, 0, 1], [1, 1, 0]], \"b1\": [0, 1, 0],\n"
     "\"w2\": [[1, 0], [0, 1], [1, 1]]}, {\"ln2\": {\"eps\": 1}, \"w1\": [[1], [2]],\n"
     "\"w2\": [[1, 1]]}], \"ln_f\": {}}\n"},
    {"layers-batch.json",
     "{\"x\": [[[1, 0], [0.5, -1]], [[2, 1], [0, 3]]], \"norm\": \"seed\", \"norm_kind\": "
     "\"rms\",\n"
     "\"position_embedding\": [[0, 1], [1, 0]], \"activation\": \"gelu\", \"layers\": [{}, {}],\n"
     "\"segment_embedding\": [[0, 0], [1, 0]], \"segments\": [0, 1],\n"
     "\"w1\": [[1, 2], [0, 1]], \"w2\": [[1, 0], [0, 1]], \"b2\": [1, 2],\n"
     "\"expected\": {\"embedded\": [[[1, 1], [2.5, -1]], [[2, 2], [2, 3]]]}}\n"},
    {"answers.json", "{\"embedded\": [[[1, 1], [2.5, -1]], [[2, 2], [2, null]]]}\n"},
    {"asked.json", "{\"_asked.scores\": [[1, 0], [1, 1]], \"scores\": [[1, 0], [1, 3]],\n"
                   "\"weights\": [[0.7311, 0], [0.2689, 0.7]]}\n"},
    {"laid.json", "{\"context\": [[[1, 2], [3, 4], [5, 6]], [[1, 2], [3, 4], [5, 6]]]}\n"},
    {"stale.jsonl", "{\"x\": [[1]], \"expected\": {\"output\": [[2]]}}\n"
                    "{\"x\": [[3]], \"expected\": {\"output\": [[4]]}}\n"},
    {"stale.json", "{\"x\": [[1]], \"layers\": [{\"wv\": [[2]]}],\n"
                   "\"expected\": {\"layer.0.attention_sum\": [[4]]}}\n"},
    {"wrong.json", "{\"q\": [[2]], \"k\": [[1], [0]], \"v\": [[1], [3]],\n"
                   "\"expected\": {\"output\": [[1]]}}\n"},
    {"wrong-layers.json", "{\"x\": [[1]], \"layers\": [{\"wv\": [[2]]}],\n"
                          "\"expected\": {\"layer.0.attention_sum\": [[4]]}}\n"},
    {"wrong-back.json", "{\"x\": [[1]], \"loss\": \"sum\", \"norm\": \"pre\",\n"
                        "\"layers\": [{\"wv\": [[2]]}],\n"
                        "\"expected\": {\"layer.0.attention_sum_grad\": [[2]]}}\n"},
    {"latents.json",
     "{\"x\": [[1, 0], [0, 1]], \"wq_down\": [[1], [2]], \"q_latent_gain\": [1],\n"
     "\"wq\": [[1, 2]], \"wkv_down\": [[1, 0], [0, 1]], \"kv_latent_gain\": [2],\n"
     "\"bkv_down\": [1, 0], \"wk\": [[1]], \"wv\": [[1]], \"clip\": 0.5, \"loss\": \"sum\"}\n"},
    {"slopes.json", "{\"q\": [[1]], \"k\": [[1], [2]], \"v\": [[1], [2]], \"offset\": 1,\n"
                    "\"alibi\": [0.5], \"loss\": \"sum\"}\n"},
    {"wrong-heads.json",
     "{\"x\": [[1, 0, 2, 1], [0, 1, 1, 0]], \"heads\": 2, \"causal\": true, \"score\": "
     "\"general\",\n"
     "\"wq\": [[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0], [0, 0, 1, 1]], \"ws\": [[1, 2], [0, 1]],\n"
     "\"wo\": [[1, 0], [0, 1], [1, 0], [0, 1]], \"bias\": [[0, 0], [0.5, 0]], \"rope\": true,\n"
     "\"expected\": {\"output\": [[1, 2], [3, 4]]}}\n"},
    {"wrong-shape.json", "{\"x\": [[1, 0], [0, 1]], \"wq\": [[0, 0], [0, 0]], \"heads\": 2,\n"
                         "\"wv\": [[1, 2, 3, 4], [5, 6, 7, 8]],\n"
                         "\"expected\": {\"weights\": [[0.5, 0.5], [0.5, 0.5]]}}\n"},
    {"wrong-steps.json",
     "{\"embedding\": [[1, 3], [2, 6]], \"ids\": [1], \"unembedding\": [[1, 0], [0, 1]],\n"
     "\"layers\": [{}], \"expected\": {\"step.0.logits\": [0, 0]}}\n"},
    {"carried.json",
     "{\"q\": [[0.1, 0, 0, 0]], \"k\": [[1, 0, 0, 0], [0, 0, 0, 0]], \"v\": [[1], [0]],\n"
     "\"weights\": [[0.5125, 0.4875]], \"output\": [[0.5125]]}\n"},
    {"bare.json", "{\"layers\": [{}]}\n"},
    {"tied.json",
     "{\"vocab\": {\"a\": [1, 0], \"b\": [0, 1]}, \"tokens\": [\"a\"], \"alibi\": true, "
     "\"layers\": [{}]}\n"},
    {"gated.json", "{\"x\": [[1, 2], [2, 1], [0, 3]], \"norm\": \"pre\", \"positions\": "
                   "\"sinusoidal\", \"ln_e\": {}, \"ln_f\": {}, \"layers\": [\n"
                   "{\"w1\": [[1], [1]], \"w2\": [[1, 0]], \"w3\": [[1], [2]]}]}\n"},
    {"prompt.json",
     "{\"vocab\": {\"a\": [1, 0], \"b\": [0, 1], \"c\": [1, 1]}, \"tokens\": [\"a\", \"c\"],\n"
     "\"unembedding\": [[1, 0, 2], [0, 1, 1]], \"unembedding_bias\": [0, 0.5, 0],\n"
     "\"positions\": \"sinusoidal\", \"layers\": [{\"w1\": [[1], [2]], \"w2\": [[1, 1]]}, {}]}\n"},
    {"labels.json",
     "{\"embedding\": [[1, 0], [0, 1], [1, 1]], \"ids\": [1, 2], \"segment_embedding\": [[0, 1]],\n"
     "\"unembedding_bias\": [0, 0.5, 0], \"loss\": \"cross-entropy\", \"labels\": [2, -100],\n"
     "\"layers\": [{\"w1\": [[1], [2]], \"w2\": [[1, 1]], \"ln1\": {\"gain\": [1, 2]}}]}\n"},
    {"ids.json",
     "{\"embedding\": [[1, 0], [0, 1], [1, 1]], \"ids\": [1, 2], \"memory\": [[1, 2]],\n"
     "\"position_embedding\": [[0, 1], [1, 0], [1, 1], [0, 0], [2, 0]], \"dtype\": \"f64\",\n"
     "\"layers\": [{\"heads\": 2, \"cross\": {}}]}\n"},
    {"entries.json", "{\"x\": [[[1]], [[2]]]}\n"},
    {"layers.jsonl", "{\"x\": [[1, 2]], \"layers\": [{}]}\n{\"x\": [[3, 4]], \"layers\": [{}]}\n"
                     "{\"x\": [[5, 6]], \"layers\": [{}]}\n"},
    {"no-w2.json", "{\"x\": [[1, 2]], \"layers\": [{\"w1\": [[1], [2]]}]}\n"},
    {"one.json", "{\"q\": [[1]], \"k\": [[1], [2]], \"v\": [[1], [2]]}\n"},
    {"words.txt", "first\r\nsecond\nthird\n"},
    {"folder/one.json", "{\"x\": [[1]], \"expected\": {\"output\": [[1]]}}\n"},
    {"folder/two.json", "{\"x\": [[1]], \"expected\": {\"output\": [[2]]}}\n"},
    {"folder/three.txt", "no document\n"},
    {"long.json", "{\"x\": [" TEN_TIMES(TEN_TIMES("[1], [2], [0], ")) "[3]]}\n"},
    {"ragged.json", "{\"x\": [[1, 2], [3]]}\n"},
    {"score.json", "{\"x\": [[1, 2]], \"score\": \"scaledd\"}\n"},
    {"unknown.json", "{\"x\": [[1, 2]], \"heds\": 1}\n"},
    {"misfit.json", "{\"x\": [[1, 2]], \"wq\": [[1, 2, 3]]}\n"},
    {"mixed.json", "{\"x\": [[1, 2], [3]], \"_m\": {\"a\": [\"b\", 5]}, \"r\": [{\"a\": 1}, 2]}\n"},
    {"ragged.jsonl", "{\"x\": [[1, 2]]}\n{\"x\": [[3, 4]]}\n{\"x\": [[1, 2], [3]]}\n"
                     "{\"x\": [[5, 6]]}\n"},
    {"ragged.csv", "1,2\n3\n"},
    {"meta.json", "{\"name\": \"n\", \"w\": [[1]], \"__metadata__\": {\"by\": \"me\"}}\n"},
    {"empty.json", ""},
};

const size_t INPUT_FILE_COUNT = sizeof INPUT_FILES / sizeof INPUT_FILES[0];

const copied_file COPIED_FILES[] = {
    {"small.npy", "testdata/npy/rank-2.npy"},
    {"stored.npz", "testdata/npy/stored.npz"},
    {"deflated.npz", "testdata/npy/deflated.npz"},
    {"objects.npy", "testdata/npy/objects.npy"},
    {"unread.npz", "testdata/npy/unread.npz"},
    {"all.safetensors", "testdata/safetensors/document.safetensors"},
};

const size_t COPIED_FILE_COUNT = sizeof COPIED_FILES / sizeof COPIED_FILES[0];

/* An output then never gets its number, however many descriptors are left. */
static int without_input(int argc, char **argv, env *world)
{
    int held = dup(STDIN_FILENO);
    syscall(SYS_close, STDIN_FILENO); /* no call of the program's */
    int status = cli_main(argc, argv, world);
    dup2(held, STDIN_FILENO);
    syscall(SYS_close, held);
    return status;
}

const command_line COMMAND_LINES[] = {
    /* documents in, JSON out */
    {.words = "heads.json"},
    {.words = "run seed.json general.json", .streams = true},
    {.words = "vocab.json"},
    {.words = "batch.json --emit "
              "scaled,masked,row_max,exp,row_sum,weighted,attended,context"},
    {.words = "--softcap 3 --window 1,0 --key-lengths 2 --alibi=1,0.5 --top 2 --emit "
              "capped,top,entropy,logsumexp heads.json"},
    {.words = "extra.json"},
    {.words = "--threads 1 lines.jsonl", .streams = true, .tries_again = true},
    {.words = "--threads 1 --average-heads alike.jsonl", .streams = true, .tries_again = true},
    {.words = "--threads 3 --quiet - <lines.jsonl", .streams = true, .tries_again = true},
    {.words = "--threads 1 --stream --rope --positions sinusoidal rows.jsonl", .streams = true},
    {.words = "--threads 1 --stream --score additive rows.jsonl", .streams = true},
    {.words = "--keep-going --threads 1 ragged.json lines.jsonl",
     .documents = 5,
     .streams = true,
     .tells_errors = true,
     .is_refused = true},
    {.words = "--keep-going --threads 1 ragged.jsonl",
     .documents = 4,
     .streams = true,
     .tries_again = true,
     .tells_errors = true,
     .is_refused = true},
    {.words = "- --input-format json --dtype f64 --digits 3 <heads.json"},
    {.words = "general.json"},
    {.words = "general-wide.json"},
    {.words = "additive.json"},
    {.words = "past.json"},
    {.words = "--score scaled --scale 0.5 --round 1:keep-sum --emit "
              "rounded,weighted seed.json"},
    {.words = "--softcap 3 --trace=cap general.json"},
    {.words = "--loss sum --softcap 3 --causal --emit *_grad -x small.npy"},
    {.words = "--loss mean --emit *_grad heads.json"},
    {.words = "--loss mean --emit *_grad past.json"},
    {.words = "--loss mean --alibi=1,0.5 --emit *_grad,delta extra.json"},
    {.words = "--loss mean --emit *_grad,loss apart.json"},
    {.words = "--loss sum --emit *_grad general.json"},
    {.words = "--emit *_grad latents.json"},
    {.words = "--trace=projections_back latents.json"},
    {.words = "--loss sum --emit *_grad additive.json"},
    {.words = "--threads 3 --max-memory 1M heads.json"},
    {.words = "--threads 1 --max-memory 430K --emit weights,output -o out.json long.json",
     .outputs = "out.json"},
    {.words = "--no-heads --average-heads --layout out-in --heads 2 --no-wo --no-bo heads.json"},
    /* products large enough to take memory, with weights that stay packed, and in several parts */
    {.words = "--threads 1 --wq heads.csv:wk --wk heads.csv:wk --wo wq.csv alike.jsonl",
     .streams = true,
     .tries_again = true},
    {.words = "--threads 2 -x wide.csv --wq square.csv --wv square.csv --wo square.csv --emit "
              "output",
     .tries_again = true},
    {.words = "--threads 4 -x square.csv --wq square.csv --emit row_sum"},
    /* matrices by options */
    {.words = "-x x.csv --wq heads.csv:wk --wk heads.csv:wk --wv wv.csv --heads 2"},
    {.words = "-x x.tsv --tokens left,right --format tidy"},
    {.words = "-x x.csv --tokens @words.txt --mask-true masked --causal --header"},
    {.words = "-x x.csv --bundle bundle.json --prefix layer. --map wv=layer.wk"},
    {.words = "-x x.csv --bundle names.json --prefix a --heads 2 --map vocab=vocab"},
    {.words = "-x x.csv --bundle names.json --map bo=a.query_key_value.bia", .is_refused = true},
    {.words = "-x x.csv --bundle bundle.json --prefix a. --map wv=other", .is_refused = true},
    {.words = "-x x.csv --bundle gains.json --heads 2"},
    {.words = "-x x.csv --bundle gains.json --heads 2 --map wq=a.q_norm.weight --no-qk-norm",
     .is_refused = true},
    {.words = "-x x.csv --bundle shards.json --prefix l.0", .is_refused = true},
    {.words = "encode -x x.csv --bundle shards.json", .is_refused = true},
    {.words = "encode -x x.csv --bundle two.json", .is_refused = true},
    {.words = "-x bundle.json:layer.wq --xk x.tsv --quiet"},
    {.words = "-x - --delimiter tab <x.tsv"},
    {.words = "- --emit output <x.csv"},
    /* matrices in binary files; a large one is mapped, so that a file keeps it */
    {.words = "-x small.npy --wq stored.npz:x --wk deflated.npz:x --causal"},
    {.words = "deflated.npz --no-heads --no-wq --emit scores"},
    {.words = "-x - --input-format npy --dtype f64 <small.npy"},
    {.words = "-x large.npy --emit weights"},
    {.words = "-x small.npy -o out.npz", .outputs = "out.npz"},
    {.words = "-x stored.npz:x --write weights=new.npy -o out.npz", .outputs = "new.npy out.npz"},
    {.words = "all.safetensors -o out.safetensors", .outputs = "out.safetensors"},
    {.words = "-x all.safetensors:x --bundle all.safetensors --header --format safetensors"},
    {.words = "-x objects.npy", .is_refused = true},
    {.words = "-x small.npy -o out.npy", .is_refused = true},
    /* some rows */
    {.words = "chosen.json"},
    {.words = "--rows 2: --trace --header chosen.json"},
    {.words = "--rows 2 seed.json vocab.json batch.json", .streams = true},
    {.words = "rows-q.json rows-k.json rows-past.json", .streams = true},
    {.words = "encode --rows 1,3 layers.json --emit * -o out.npz", .outputs = "out.npz"},
    {.words = "check --rows 2 --why seed.json"},
    {.words = "join part-2.csv part-1.csv new.npz", .outputs = "new.npz"},
    {.words = "join --quiet rows-1.jsonl rows-1.jsonl new.jsonl", .outputs = "new.jsonl"},
    {.words = "join --quiet small.npy small.npy -"},
    /* layers */
    {.words = "encode layers.json"},
    {.words = "encode --trace-format html layers.json"},
    {.words = "decode --emit * --threads 3 layers.json", .tries_again = true},
    {.words = "encode --emit *.ln1,output --write ffn.hidden=new.npy -o out.json "
              "layers-batch.json",
     .outputs = "new.npy out.json"},
    {.words = "decode --write *.weights=out.npz --isa scalar layers.json", .outputs = "out.npz"},
    {.words = "encode - --quiet <layers-batch.json"},
    {.words = "encode layers-batch.json layers.json", .streams = true},
    {.words = "encode --threads 3 -x square.csv bare.json", .tries_again = true},
    {.words = "generate --length 3 prompt.json", .streams = true},
    {.words = "generate --logits --temperature 2 --seed 3 --length 2 --threads 2 prompt.json",
     .streams = true},
    {.words = "generate --length 3 --stop 2 -o out.txt ids.json", .outputs = "out.txt"},
    {.words = "generate --length 2 --trace=choice,probabilities,cache,ln1 --temperature 2 "
              "prompt.json"},
    {.words = "generate --length 2 --temperature 2 --header --emit *.scores,*.rollout,*.tempered,"
              "*.choice prompt.json"},
    {.words = "encode --threads 1 layers.jsonl", .streams = true, .tries_again = true},
    {.words = "generate --length 2 --picture out.svg prompt.json",
     .outputs = "out.svg",
     .streams = true},
    {.words = "encode --header layers.json prompt.json", .streams = true},
    {.words = "generate --length 2 --trace=choice tied.json", .is_whole = true},
    {.words = "generate --length 2 --picture new.svg tied.json",
     .outputs = "new.svg",
     .streams = true,
     .is_whole = true},
    {.words = "generate --length 2 --picture new.svg ids.json",
     .outputs = "new.svg",
     .streams = true,
     .is_whole = true},
    {.words = "encode --emit * gated.json"},
    {.words = "encode --rows 1,3 --emit * gated.json"},
    {.words = "encode --loss mean --emit *_grad gated.json"},
    {.words = "decode --loss sum --threads 3 --emit *_grad layers.json", .tries_again = true},
    {.words = "encode --loss mean --emit *_grad layers-batch.json"},
    {.words = "decode --emit *_grad,loss,logits labels.json"},
    {.words = "encode --trace=embedded,inputs gated.json", .is_whole = true},
    {.words = "encode --trace-format html --blank norm,embedded layers-batch.json"},
    {.words = "check layers-batch.json"},
    {.words = "check --answers answers.json layers-batch.json"},
    {.words = "check --answers answers.json --answers answers.json layers-batch.json --format csv",
     .documents = 2,
     .tells_errors = true},
    {.words = "check --update stale.json", .outputs = "stale.json", .documents = 2},
    {.words = "check --update stale.jsonl", .outputs = "stale.jsonl", .documents = 2},
    {.words = "check --why wrong.json", .documents = 2, .streams = true},
    {.words = "check --why wrong-layers.json", .documents = 2, .streams = true},
    {.words = "check --why wrong-back.json", .documents = 2, .streams = true},
    {.words = "check --differences wrong-back.json"},
    {.words = "check --why wrong-heads.json", .documents = 2, .streams = true},
    {.words = "check --why wrong-steps.json", .documents = 2, .streams = true},
    {.words = "check --why wrong-shape.json", .documents = 2, .streams = true, .is_refused = true},
    {.words = "diff --atol 0.02 carried.json carried.json"},
    /* files out */
    {.words = "-o out.json heads.json", .outputs = "out.json"},
    {.words = "-o new.json heads.json", .outputs = "new.json"},
    {.words = "-o out.json heads.json", .outputs = "out.json", .run = without_input},
    {.words = "-o link.json heads.json", .outputs = "out.json"},
    {.words = "-o out.csv --header --emit x,weights heads.json", .outputs = "out.csv"},
    {.words = "-o /dev/null heads.json"},
    {.words = "--write weights=out.tsv --write output=new.tidy -o out.json "
              "heads.json",
     .outputs = "out.tsv new.tidy out.json"},
    {.words = "--write q=out.jsonl lines.jsonl", .outputs = "out.jsonl"},
    {.words = "--trace-output out.txt heads.json", .outputs = "out.txt"},
    {.words = "--trace -o out.json heads.json", .outputs = "out.json"},
    /* traces */
    {.words = "--trace heads.json"},
    {.words = "--trace --full --digits 2 --focus row=2,head=2 --color always "
              "heads.json"},
    {.words = "--trace=softmax,q,output seed.json vocab.json", .streams = true},
    {.words = "--trace additive.json"},
    {.words = "--trace batch.json"},
    {.words = "--trace apart.json"},
    {.words = "--trace-format html apart.json"},
    {.words = "--trace-format notebook heads.json"},
    {.words = "--trace-format markdown heads.json"},
    {.words = "--trace-format latex seed.json"},
    {.words = "--trace-format json heads.json"},
    {.words = "--trace-format html batch.json"},
    {.words = "--trace=output --trace-format html entries.json"},
    {.words = "encode --trace-format html layers-batch.json"},
    {.words = "--trace extra.json"},
    {.words = "--picture out.svg --sum-keys 1 heads.json", .outputs = "out.svg"},
    {.words = "--picture - --color always batch.json"},
    {.words = "--picture - --digits 40 --sum-keys 1,2 one.json"},
    {.words = "--picture out.svg --sum-keys 1,2 one.json", .outputs = "out.svg"},
    {.words = "--picture out.svg --loss sum --emit wq_grad,scores_grad -o new.json heads.json",
     .outputs = "out.svg new.json"},
    {.words = "--picture - --loss mean --emit v_grad -o new.json one.json", .outputs = "new.json"},
    {.words = "--trace-format html --trace=scores --blank scores one.json"},
    {.words = "--trace-format notebook --trace=scores one.json"},
    /* the other commands */
    {.words = "check seed.json"},
    {.words = "check --quiet folder", .documents = 2},
    {.words = "check folder seed.json ragged.json", .documents = 4, .is_refused = true},
    {.words = "check --actual x.tsv --tol 9 seed.json"},
    {.words = "check --actual bundle.json:layer.wq --map output=layer.wq --tol 9 seed.json"},
    {.words = "check --actual x.tsv --map weights=output --dtype f32 --tol 9 seed.json"},
    {.words = "check --actual results.jsonl --tol 9 lines.jsonl", .documents = 3},
    {.words = "check --answers x.tsv --digits 1 --format csv seed.json", .tells_errors = true},
    {.words = "check --answers asked.json --answers empty.json --format json seed.json",
     .documents = 2,
     .tells_errors = true,
     .is_refused = true},
    {.words = "check --blank scores,weights --answers asked.json seed.json"},
    {.words = "check --actual laid.json --tol 99 heads.json"},
    {.words = "check --answers answers.json folder", .documents = 2, .is_refused = true},
    {.words = "check --tap folder", .documents = 2, .tells_errors = true},
    {.words = "diff a.json b.json"},
    {.words = "diff --tol 1 a.json tidy.csv"},
    {.words = "diff heads.csv heads.csv"},
    {.words = "diff --heat-map --tol weights=0.1 --ignore extra,output a.json b.json"},
    {.words = "diff --format json --map weights=output --summary a.json b.json"},
    {.words = "diff small.npy x.tsv"},
    {.words = "diff seed.json seed.json"},
    {.words = "diff made.csv made.json"},
    {.words = "diff --format json made.json made.csv"},
    {.words = "diff made.tidy made.csv"},
    {.words = "encode --bundle gpt2.json --ids 1,0 --map none=h.0.mlp.c_proj.wait"},
    {.words = "check --quiet --bundle gpt2.json --map none=h.0.mlp.c_proj.wait gpt2-expected.json"},
    {.words = "info heads.json x.csv lines.jsonl tidy.csv", .documents = 4},
    {.words = "info heads.csv:wk layers.json:layers.0", .documents = 2},
    {.words = "info --format json seed.json ragged.csv vocab.json",
     .documents = 3,
     .tells_errors = true,
     .is_refused = true},
    {.words = "init --tokens a,b --width 2 --heads 2 --biases -o out.json", .outputs = "out.json"},
    {.words = "init --tokens 3 --width 2 --rng torch --draw x -o new.npy", .outputs = "new.npy"},
    {.words = "init --width 2 --rng numpy -o new.safetensors", .outputs = "new.safetensors"},
    {.words = "init --exercise scores,row_max prompt.json -o new.json", .outputs = "new.json"},
    {.words = "--loss mean --trace-format html heads.json"},
    {.words = "--loss sum --trace --softcap 3 past.json"},
    {.words = "train --quiet --loss mean --steps 2 heads.json"},
    {.words = "train --quiet --only slopes slopes.json"},
    {.words = "train --loss sum --only wq -o new.json --losses new.csv heads.json",
     .outputs = "new.json new.csv"},
    {.words = "train --quiet --loss sum --steps 0 --trace-output new.html -o new.json heads.json",
     .outputs = "new.json new.html"},
    {.words = "train --quiet --loss sum --rate 0.01 --steps 1 layers.json -o new.json",
     .outputs = "new.json"},
    {.words = "info unread.npz"},
    {.words = "convert --force unread.npz new.npz", .outputs = "new.npz"},
    {.words = "convert all.safetensors new.json", .outputs = "new.json"},
    {.words = "convert mixed.json new.json", .outputs = "new.json"},
    {.words = "convert meta.json new.safetensors", .outputs = "new.safetensors"},
    {.words = "convert --force meta.json new.npz", .outputs = "new.npz"},
    {.words = "convert heads.json out.json", .outputs = "out.json"},
    {.words = "convert --force heads.json new.csv", .outputs = "new.csv"},
    {.words = "convert x.csv new.json", .outputs = "new.json"},
    {.words = "convert --csv-safe formula.json new.csv", .outputs = "new.csv"},
    {.words = "convert heads.csv:wk -"},
    {.words = "convert heads.csv new.npz", .outputs = "new.npz"},
    {.words = "convert --force heads.json new.safetensors", .outputs = "new.safetensors"},
    {.words = "convert --threads 3 large.npy new.tidy", .outputs = "new.tidy", .tries_again = true},
    {.words = "convert --threads 3 table.csv new.npy", .outputs = "new.npy", .tries_again = true},
    {.words = "convert --threads 3 table.json new.npy", .outputs = "new.npy", .tries_again = true},
    {.words = "convert --dtype f32 lines.jsonl out.jsonl", .outputs = "out.jsonl"},
    {.words = "example"},
    {.words = "example walkthrough"},
    {.words = "example --all pages --force",
     .outputs = "pages/001-walkthrough.json pages/walkthrough.svg pages/index.html",
     .is_long = true},
    {.words = "help"},
    {.words = "help softmax"},
    {.words = "help stages"},
    {.words = "help --causal"},
    {.words = "help golden file"},
    {.words = "help --completion bash"},
    {.words = "help --completion zsh"},
    {.words = "help --completion fish"},
    {.words = "check --help"},
    {.words = "--version"},
    /* what is refused: the way out is as clean */
    {.words = "ragged.json", .is_refused = true},
    {.words = "unknown.json", .is_refused = true},
    {.words = "score.json", .is_refused = true},
    {.words = "--offset two heads.json", .is_refused = true},
    {.words = "misfit.json", .is_refused = true},
    {.words = "empty.json", .is_refused = true},
    {.words = "missing.json", .is_refused = true},
    {.words = "encode no-w2.json", .is_refused = true},
    {.words = "encode --emit layer.0.ffn.hiden layers.json", .is_refused = true},
    {.words = "generate --length 5 ids.json", .is_refused = true},
    {.words = "folder", .is_refused = true},
    {.words = "-x ragged.csv", .is_refused = true},
    {.words = "-x heads.csv", .is_refused = true},
    {.words = "--heads 3 heads.json", .is_refused = true},
    {.words = "--trace --focus row=9 heads.json", .is_refused = true},
    {.words = "encode --bundle gpt2.json --ids 1 --prefix g.{}", .is_refused = true},
    {.words = "encode --bundle gpt2.json --ids 1 --map layers.0.w2=h.0.mlp.c_proj.wite",
     .is_refused = true},
    {.words = "--emit wieghts heads.json", .is_refused = true},
    {.words = "--haeds 2", .is_refused = true},
    {.words = "help wieghts", .is_refused = true},
    {.words = "example krim", .is_refused = true},
};

const size_t COMMAND_LINE_COUNT = sizeof COMMAND_LINES / sizeof COMMAND_LINES[0];
