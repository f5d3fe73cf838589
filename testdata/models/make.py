#!/usr/bin/python3 -B
"""make.py: writes llama and sharded, a model of one layer 4 wide as transformers lays it out, in one
file and in two, and phi3, the same with matrices side by side. Its numbers are eighths that were drawn, so that any program reads the same."""
import json
import pathlib
import random
import struct

HERE = pathlib.Path(__file__).resolve().parent
CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4,
    "intermediate_size": 6, "num_hidden_layers": 1, "num_attention_heads": 2,
    "num_key_value_heads": 1, "vocab_size": 5, "hidden_act": "silu", "rms_norm_eps": 1e-5,
    "rope_theta": 100.0, "tie_word_embeddings": False, "torch_dtype": "float32"}
LAYER = {"input_layernorm": (4,), "post_attention_layernorm": (4,), "self_attn.q_proj": (4, 4),
         "self_attn.k_proj": (2, 4), "self_attn.v_proj": (2, 4), "self_attn.o_proj": (4, 4),
         "mlp.gate_proj": (6, 4), "mlp.up_proj": (6, 4), "mlp.down_proj": (4, 6)}
FIRST = {"model.embed_tokens": (5, 4), **{f"model.layers.0.{name}": size for name, size in LAYER.items()}}
LAST = {"model.norm": (4,), "lm_head": (5, 4)}


def write(path, tensors):
    header, data = {}, b""
    for name, (size, numbers) in tensors.items():
        packed = struct.pack(f"<{len(numbers)}f", *numbers)
        header[name] = {"dtype": "F32", "shape": list(size),
                        "data_offsets": [len(data), len(data) + len(packed)]}
        data += packed
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def joined(drawn):
    """q, k and v in one, and the gate and what it gates."""
    made, way = {}, "model.layers.0."
    joints = {"self_attn.qkv_proj": ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
              "mlp.gate_up_proj": ("mlp.gate_proj", "mlp.up_proj")}
    for name, parts in joints.items():
        all_of = [drawn[f"{way}{part}.weight"] for part in parts]
        made[f"{way}{name}.weight"] = ((sum(size[0] for size, _ in all_of), 4),
                                       [x for _, numbers in all_of for x in numbers])
    taken = {f"{way}{part}.weight" for parts in joints.values() for part in parts}
    return {**{name: one for name, one in drawn.items() if name not in taken}, **made}


def main():
    dice = random.Random(3)
    drawn = {}
    for name, size in {**FIRST, **LAST}.items():
        count = size[0] if len(size) == 1 else size[0] * size[1]
        around = 8 if len(size) == 1 else 0
        drawn[name + ".weight"] = size, [(around + dice.randrange(-7, 8)) / 8 for _ in range(count)]
    parts = {"model-1.safetensors": FIRST, "model-2.safetensors": LAST}
    for folder in ("llama", "sharded"):
        (HERE / folder).mkdir(exist_ok=True)
        (HERE / folder / "config.json").write_text(json.dumps(CONFIG, indent=2) + "\n")
    write(HERE / "llama/model.safetensors", drawn)
    (HERE / "phi3").mkdir(exist_ok=True)
    (HERE / "phi3/config.json").write_text(
        json.dumps({**CONFIG, "model_type": "phi3", "architectures": ["Phi3ForCausalLM"]}, indent=2) + "\n")
    write(HERE / "phi3/model.safetensors", joined(drawn))
    index = {"weight_map": {}}
    for file, names in parts.items():
        write(HERE / "sharded" / file, {name + ".weight": drawn[name + ".weight"] for name in names})
        index["weight_map"].update({name + ".weight": file for name in names})
    path = HERE / "sharded/model.safetensors.index.json"
    path.write_text(json.dumps(index, indent=2) + "\n")


main()
