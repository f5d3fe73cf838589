"""A model of GPT-2's size, of drawn numbers: gpt2.py folder|onnx folder=FOLDER NAME=VALUE ...
`folder` leaves it as transformers saves it, for work_model.c: config.json and model.safetensors.
`onnx` leaves the same numbers as model.onnx, for ort.js, by Debian's python3-onnx: any rows after
any rows before, with attention and gelu by ONNX Runtime's own operators, as its optimizer for GPT-2
leaves them."""
import json
import os
import struct
import sys

import numpy as np

words = dict(word.split("=", 1) for word in reversed(sys.argv[2:]) if "=" in word)
layers, width, heads, vocab = (int(words[name]) for name in ("layers", "width", "heads", "vocab"))
POSITIONS, EPSILON = 1024, 1e-5
MICROSOFT = "com.microsoft"

SHAPES = {"wte.weight": (vocab, width), "wpe.weight": (POSITIONS, width)}
for layer in range(layers):
    SHAPES.update({f"h.{layer}.{name}": shape for name, shape in {
        "ln_1.weight": (width,), "ln_1.bias": (width,), "attn.c_attn.weight": (width, 3 * width),
        "attn.c_attn.bias": (3 * width,), "attn.c_proj.weight": (width, width),
        "attn.c_proj.bias": (width,), "ln_2.weight": (width,), "ln_2.bias": (width,),
        "mlp.c_fc.weight": (width, 4 * width), "mlp.c_fc.bias": (4 * width,),
        "mlp.c_proj.weight": (4 * width, width), "mlp.c_proj.bias": (width,)}.items()})
SHAPES.update({"ln_f.weight": (width,), "ln_f.bias": (width,)})


def weights():
    """Attention is neither even nor of one key alone: scores spread by 2 or 3."""
    random = np.random.default_rng(1)
    for name, shape in SHAPES.items():
        about = 1 if "ln_" in name and name.endswith("weight") else 0
        yield name, np.float32(about) + np.float32(0.05) * random.standard_normal(shape, np.float32)


def make_folder():
    with open("config.json", "w") as file:
        json.dump({"model_type": "gpt2", "n_layer": layers, "n_embd": width, "n_head": heads,
                   "n_positions": POSITIONS, "vocab_size": vocab, "layer_norm_epsilon": EPSILON,
                   "activation_function": "gelu_new", "tie_word_embeddings": True,
                   "architectures": ["GPT2LMHeadModel"]}, file)
    header, end = {}, 0
    for name, shape in SHAPES.items():
        begin, end = end, end + 4 * int(np.prod(shape))
        header["transformer." + name] = {"dtype": "F32", "shape": shape,
                                         "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open("making", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, numbers in weights():
            file.write(numbers.tobytes())
    os.rename("making", "model.safetensors")


def make_onnx():
    from onnx import TensorProto, helper, numpy_helper
    nodes = []

    def add(kind, inputs, output, domain="", **settings):
        nodes.append(helper.make_node(kind, inputs, [output] if isinstance(output, str) else output,
                                      domain=domain, **settings))
        return output if isinstance(output, str) else output[0]

    def norm(x, name):
        return add("LayerNormalization", [x, name + ".weight", name + ".bias"], name,
                   epsilon=EPSILON)

    def product(x, name):
        made = add("MatMul", [x, name + ".weight"], name + ".product")
        return add("Add", [made, name + ".bias"], name)

    x = add("Add", [add("Gather", ["wte.weight", "ids"], "looked_up"),
                    add("Gather", ["wpe.weight", "positions"], "placed")], "embedded")
    for i in range(layers):
        h = f"h.{i}."
        attended = add("Attention", [norm(x, h + "ln_1"), h + "attn.c_attn.weight",
                                     h + "attn.c_attn.bias", "", f"past{i}"],
                       [h + "attended", f"present{i}"], MICROSOFT, num_heads=heads,
                       unidirectional=1)
        x = add("Add", [x, product(attended, h + "attn.c_proj")], h + "middle")
        hidden = add("MatMul", [norm(x, h + "ln_2"), h + "mlp.c_fc.weight"], h + "hidden")
        hidden = add("FastGelu", [hidden, h + "mlp.c_fc.bias"], h + "active", MICROSOFT)
        x = add("Add", [x, product(hidden, h + "mlp.c_proj")], h + "output")
    flat = add("Reshape", [norm(x, "ln_f"), "flat"], "rows")
    add("Gemm", [flat, "wte.weight"], "logits", transB=1)

    def info(name, kind, shape):
        return helper.make_tensor_value_info(name, kind, shape)

    def caches(name, length):
        return [info(f"{name}{i}", TensorProto.FLOAT, [2, 1, heads, length, width // heads])
                for i in range(layers)]

    constants = [numpy_helper.from_array(numbers, name) for name, numbers in weights()]
    constants.append(numpy_helper.from_array(np.int64([-1, width]), "flat"))
    graph = helper.make_graph(
        nodes, "gpt2",
        [info("ids", TensorProto.INT64, [1, "rows"]),
         info("positions", TensorProto.INT64, ["rows"])] + caches("past", "before"),
        [info("logits", TensorProto.FLOAT, ["rows", vocab])] + caches("present", "all"), constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17),
                                                   helper.make_opsetid(MICROSOFT, 1)])
    made.ir_version = 8
    with open("making", "wb") as file:
        file.write(made.SerializeToString())
    os.rename("making", "model.onnx")


os.makedirs(words["folder"], exist_ok=True)
os.chdir(words["folder"])
if not os.path.exists({"folder": "model.safetensors", "onnx": "model.onnx"}[sys.argv[1]]):
    globals()["make_" + sys.argv[1]]()
