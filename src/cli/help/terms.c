#include "cli/help/terms.h"

/* In the order in which a lecture would meet them. */
static const term ROWS[] = {
    {{"attention", "each query's weighted mean of values"},
     "attention(q, k, v) = softmax(q·kᵀ · scale) · v",
     "A soft look-up: compare what you are looking for (the query) with what is on offer (the "
     "keys), turn the comparisons into weights that sum to 1, and take that mixture of the "
     "values."},
    {{"self-attention", "attention of a sequence with itself"},
     "q = x·Wq,  k = x·Wk,  v = x·Wv",
     "Queries, keys and values are all made of the same rows x. Each token looks at every token, "
     "itself included, and comes out as a mixture of what it saw: a sequence goes in, a sequence "
     "comes out."},
    {{"cross-attention", "queries of one sequence, keys and values of another"},
     "q = x·Wq,  k = xk·Wk,  v = xk·Wv",
     "As in translation, where each word being written looks at the words that were read. Give the "
     "other sequence as xk; n_q and n_k may then differ."},
    {{"query", "what a row is looking for"},
     "q[i] = x[i]·Wq + bq",
     "Row i's question to the others. It is compared with every key, and the answers decide how "
     "much of each value row i takes."},
    {{"key", "what a row offers to be found by"},
     "k[j] = xk[j]·Wk + bk",
     "The label on the drawer. A query that points the same way as key j gives a large score, and "
     "so a large weight for value j."},
    {{"value", "what a row hands over when it is found"},
     "v[j] = xv[j]·Wv + bv",
     "The content of the drawer. The output of a query is a weighted mean of the values; its width "
     "d_v may differ from d_k."},
    {{"token", "one element of a sequence: a word or a part of one"},
     NULL,
     "Each row of x belongs to a token. --tokens names them, so that a trace says cat and not row "
     "2."},
    {{"embedding", "the vector that stands for a token"},
     "x[i] = vocab[tokens[i]]",
     "A model learns one vector of m numbers for each word. A document may hold them under vocab; "
     "with tokens and no x, the rows of x are looked up there."},
    {{"sequence", "tokens in their order, as rows of a matrix"},
     NULL,
     "Attention itself sees a set: only a causal mask, or positions mixed into x, tell it about "
     "the order."},
    {{"projection", "a product with a learned matrix"},
     "q = x·Wq + bq",
     "The same x is projected three ways, so that one row can ask, offer and hand over different "
     "things. Projecting down to a smaller width makes the work cheaper; Wo projects back up."},
    {{"parameter", "a number that training has set"},
     NULL,
     "The entries of Wq, Wk, Wv, Wo and the biases. With h heads of width m/h there are "
     "3·h·m·(m/h) = 3m² in the first three: as many as with one head. Full-width heads have 3hm²."},
    {{"matrix product", "rows of one matrix times columns of another"},
     "c[i,j] = Σ_p a[i,p]·b[p,j]",
     "The columns of the first must be as many as the rows of the second. Here each element is one "
     "chain of fused multiply-adds in the order of p, and so the same on every machine."},
    {{"dot product", "how far two vectors point the same way"},
     "q·k = Σ_p q[p]·k[p]",
     "Large when both are long and alike, 0 when they are at right angles, negative when they are "
     "opposed: the simplest way to score a query with a key."},
    {{"score", "how well a query and a key fit, before softmax"},
     "scores[i,j] = q[i]·k[j]",
     "Any real number. --score chooses the function; what follows (scale, mask, softmax) is the "
     "same for all of them. Also called a logit, energy or alignment."},
    {{"general attention", "a score through a learned matrix"},
     "scores[i,j] = q[i]·Ws·k[j]ᵀ + bs",
     "Also called bilinear or multiplicative. With Ws = Wq·Wkᵀ it scores the inputs themselves "
     "just as their projections do."},
    {{"additive attention", "a score by a small network"},
     "scores[i,j] = va·tanh(q[i]·Wa + k[j]·Ua + ba)",
     "Older than the dot product, and able to compare a query and a key of different widths. Also "
     "called concat attention: Wa and Ua are two halves of one matrix for q and k side by side."},
    {{"scaled dot product", "a dot product divided by √d_k"},
     "scaled[i,j] = q[i]·k[j] / √d_k",
     "If the numbers in q and k have variance 1, their dot product has variance d_k. Dividing by "
     "√d_k brings it back to 1, so that softmax does not put everything on one key."},
    {{"soft cap", "a bound that scores near and never reach"},
     "capped[i,j] = C·tanh(scaled[i,j] / C)",
     "Keeps one huge score from taking all the weight; small scores stay nearly as they are. "
     "--softcap C, before bias and mask."},
    {{"softmax", "turns a row of scores into weights that sum to 1"},
     "weights[i,j] = exp(s[i,j]) / Σ_j exp(s[i,j])",
     "Exponentials make all scores positive and large ones stand out; dividing by their sum "
     "normalises (normalizes) the row. Adding a number to a whole row changes nothing, so the "
     "row's maximum is subtracted first, and no exponential overflows."},
    {{"attention sink", "a logit that takes weight and has no value"},
     "weights[i,j] = exp(s[i,j]) / (exp(sink) + Σ_j exp(s[i,j]))",
     "A softmax must spend all of its weight; a sink lets a query attend to nothing much. A sink "
     "of "
     "0 is also called softmax-off-by-one. --sinks gives a learned logit a head."},
    {{"attention weight", "how much of a value a query takes"},
     "0 ≤ weights[i,j] ≤ 1,  Σ_j weights[i,j] = 1",
     "Row i is how query i shares out its attention. A row that may attend to nothing has weights "
     "0."},
    {{"entropy", "how widely a row of weights is spread"},
     "entropy[i] = −Σ_j weights[i,j]·ln weights[i,j]",
     "In nats: 0 where one key takes all the weight, ln n_k where all get the same. --emit "
     "entropy, "
     "--trace=statistics."},
    {{"weighted sum", "values mixed by their weights"},
     "attended[i] = Σ_j weights[i,j]·v[j]",
     "With one weight at 1 it copies that value; with all equal it is their mean. --emit weighted "
     "shows the terms of the sum."},
    {{"context", "what a token means among its neighbours"},
     "context = [head 1 | head 2 | …]",
     "In general, the words around a word. As a stage, the results of all heads side by side, "
     "before Wo."},
    {{"mask", "who may attend to whom"},
     "masked[i,j] = −∞ where not allowed",
     "Since exp(−∞) = 0, a key that is masked takes no part, whatever its value. true or 1 means "
     "may attend; --mask-true masked turns that round."},
    {{"padding", "rows that only fill up a batch"},
     NULL,
     "Sequences in a batch have one length; the shorter ones are filled up, and a mask of rank 1 "
     "(or b × n_k with --mask-axis batch), or --key-lengths, keeps the filling from being seen."},
    {{"causal attention", "no token sees what comes after it"},
     "weights[i,j] = 0 for j > i",
     "Also called masked, backward-looking or autoregressive: the model is to predict the next "
     "token, so it must not look at it. --causal does it; where n_q ≠ n_k, upper-left and "
     "lower-right say which query is the first."},
    {{"sliding window", "a query sees only keys near it"},
     "allowed: p − L ≤ j ≤ p + R",
     "p is the query's place among the keys. Also called local attention; with --causal only the "
     "keys before it are left. --window L,R, -1 being open; its cost grows with the window and not "
     "with the sequence."},
    {{"ALiBi", "linear position bias: what is far away counts less"},
     "masked[i,j] = scaled[i,j] − slope·|p − j|",
     "Attention with Linear Biases: instead of positions in the inputs, each head takes its slope "
     "times the distance off the scores. --alibi takes the published slopes, --alibi=S,... "
     "others."},
    {{"sinusoidal positions", "sines and cosines of positions, added to x"},
     "PE(p, 2i) = sin(p·10000^(−2i/m)),  PE(p, 2i + 1) = cos(p·10000^(−2i/m))",
     "Attention sees a set, not a sequence. The Transformer paper tells each row where it stands "
     "by "
     "adding waves of its position, fast ones in the first columns and slow ones in the last: "
     "--positions sinusoidal."},
    {{"rotary positions", "queries and keys turned by their positions: RoPE"},
     "(y₁, y₂) = (x₁·cos − x₂·sin, x₂·cos + x₁·sin),  angle = p·base^(−2i/width)",
     "Nothing is added to the rows; pairs of numbers of a query and a key are turned by angles "
     "that "
     "grow with their positions. A dot product of two turned vectors depends on how far they stand "
     "apart, and on nothing else of where they are: --rope."},
    {{"key/value cache", "keys and values of earlier tokens, kept"},
     "present_k = [past_k; k],  present_v = [past_v; v]",
     "Of a causal sequence, what a token's key and value are does not change when more tokens "
     "follow. So each is computed once and kept: a new token costs one row of attention. Give "
     "past_k and past_v, or let --stream keep them."},
    {{"bidirectional attention", "every token sees every token"},
     NULL,
     "What there is without --causal: for understanding a text that is there as a whole, and no "
     "good for predicting its next word."},
    {{"bias", "numbers added: to a projection, or to the scores"},
     "q = x·Wq + bq;  masked = scaled + bias",
     "bq, bk, bv and bo shift a projection. The key bias is added to the scaled scores, as models "
     "do that encode distance there."},
    {{"head", "one attention among several side by side"},
     "head r: softmax(q_r·k_rᵀ · scale) · v_r",
     "A word has several relations to its neighbours: jumps looks at fox for who, at dog for over "
     "what. Each head has its own columns of Wq, Wk and Wv, and so its own weights."},
    {{"multi-head attention", "several heads, joined by Wo"},
     "output = [head 1 | … | head h]·Wo + bo",
     "The columns of q, k and v are cut into h chunks, each attends on its own, and the results "
     "are laid side by side and mixed by Wo. It costs about as much as one head of the full "
     "width."},
    {{"grouped-query attention", "several query heads share a key/value head"},
     "query head i uses key/value head ⌊i / (h/g)⌋",
     "Fewer keys and values to keep in memory while generating. --kv-heads g; with g = 1 it is "
     "called multi-query attention."},
    {{"concat", "laying the heads' results side by side"},
     "context[i] = [attended[1,i] | … | attended[h,i]]",
     "h matrices n_q × d_v become one n_q × h·d_v. Wo then mixes what the heads found (unifies the "
     "heads)."},
    {{"batch", "several sequences computed together"},
     NULL,
     "A first axis b in the inputs. Nothing crosses it: each sequence comes out with the same bits "
     "as if it were alone."},
    {{"permutation equivariance", "shuffle the inputs, and the outputs are shuffled"},
     "f(P·x) = P·f(x)",
     "Without a mask, self-attention sees a set: reordering the tokens reorders the outputs and "
     "changes nothing else, but for the rounding of sums in another order. Positions have to be "
     "told to it."},
    {{"d_k", "width of a query and a key, per head"},
     NULL,
     "Queries and keys are compared, so their width is the same. It is what √d_k in the scale is "
     "about."},
    {{"d_v", "width of a value, per head"},
     NULL,
     "Often d_k, but free: the values are mixed, never compared with keys."},
    {{"n_q", "number of queries: rows of the output"},
     NULL,
     "In self-attention n_q = n_k, the length of the sequence. When one token is generated at a "
     "time, n_q = 1."},
    {{"n_k", "number of keys, and of values"},
     NULL,
     "The length of what is looked at. Weights are n_q × n_k: with long sequences, the largest "
     "matrix of all."},
    {{"m", "width of the input rows: the embedding size"},
     NULL,
     "x is n × m, Wq is m × h·d_k. It must be a multiple of the number of heads where they cut "
     "it."},
    {{"h", "number of heads"},
     NULL,
     "And g, the number of key/value heads, which divides h. Results have an axis for heads only "
     "where heads were asked for."},
    {{"rank", "how many axes an array has"},
     NULL,
     "A number has rank 0, a vector 1, a matrix 2; heads and batches add one each."},
    {{"broadcast", "using one row or matrix along a whole axis"},
     NULL,
     "A mask of size 1 along an axis is used for every head, every batch or every query there, "
     "without being copied."},
    {{"transpose", "rows become columns"},
     "aᵀ[i,j] = a[j,i]",
     "Scores are q·kᵀ. Weights kept as nn.Linear keeps them are transposed: --layout out-in says "
     "so."},
    {{"rounding by hand", "weights cut to few decimals, as on a blackboard"},
     "round(0.46831, 1) = 0.5",
     "Worked examples on paper go on with rounded weights. --round 1 does the same; --round "
     "1:keep-sum lets each row still sum to 1, by rounding up those with the largest remainders."},
    {{"float32", "numbers of 24 significant bits, about 7 decimals"},
     NULL,
     "What run computes in, as most models do. --dtype f64 computes in float64 (53 bits, about 16 "
     "decimals), as check does."},
    {{"ulp", "unit in the last place: the gap to the next number"},
     NULL,
     "The measure of rounding. Each weight here is within 3 ulp of the true softmax of the scores "
     "given."},
    {{"mean_weights", "an attention's weights, averaged over its heads"},
     "mean_weights[i,j] = Σₕ weights[h,i,j] / h",
     "A stage of encode and decode, by the way to it: --emit layer.0.attention.mean_weights. "
     "Rollout is made of them; --trace=mean_weights shows them beside the softmax."},
    {{"fused multiply-add", "a·b + c with one rounding"},
     "fma(a, b, c) = round(a·b + c)",
     "Twice as fast as two operations, and more exact. All products here are chains of it, on "
     "machines that lack it too."},
    {{"denormal", "a number below the smallest normal one"},
     NULL,
     "They fill the gap to 0 with fewer and fewer bits, and are slow on some machines. A weight "
     "that small is 0 here."},
    {{"shortest decimal", "the fewest digits that read back to the same number"},
     NULL,
     "0.1 and not 0.100000001: nothing is lost, and nothing is printed that does not matter. "
     "--digits fixes the decimals instead."},
    {{"bit contract", "the same input gives the same bytes, everywhere"},
     NULL,
     "Whatever the machine, threads, instruction set or batch, and whatever else was asked for: "
     "every sum has one order, which no optimisation may change. So results can be compared with "
     "cmp."},
    {{"golden file", "a result kept to compare later ones with"},
     NULL,
     "Keep a document with its expected stages, and let selfattn check compare. It names the first "
     "stage and element that differ."},
    {{"tolerance", "how far values may differ and still count as equal"},
     "|computed − expected| ≤ tol",
     "A document's tol, for all stages or one by one; --tol overrides it. Published numbers need "
     "half a unit of their last digit."},
    {{"erratum", "a published number that is wrong"},
     NULL,
     "A document lists them under errata: stage, place, what was published, what comes out. check "
     "reports them and does not fail, but an erratum that is none does fail."},
    {{"problem document", "a JSON object with inputs and settings"},
     NULL,
     "Its keys are the options' names with _ for -. selfattn help keys lists them; selfattn "
     "example prints some."},
};

static const synonym SYNONYMS[] = {
    {"GQA", "grouped-query attention"},
    {"MQA", "grouped-query attention"},
    {"MHA", "multi-head attention"},
    {"bahdanau", "additive attention"},
    {"luong", "general attention"},
    {"RoPE", "rotary positions"},
    {"positional encoding", "sinusoidal positions"},
    {"KV cache", "key/value cache"},
    {NULL, NULL},
};

const named_table TERMS = NAMED_TABLE_ALSO("term", ROWS, SYNONYMS);
