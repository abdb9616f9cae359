#!/usr/bin/env python3
"""Checks that the loops of the microbenchmarks have the instructions that are counted.

    tools/hw/micro_sass.py MICRO.SASS.TXT     what micro.sh wrote, also .zst or .gz; status 1 if something does not hold

ptxas merges loads of one address, drops stores that another one overwrites, folds arithmetic, and moves out of a loop
what does not change in it, all of that although the asm is volatile. RULES has the kernels that are timed, with the
instruction that a figure is about and how many of them an iteration of the source must have.
"""
import collections
import gzip
import re
import subprocess
import sys

Insn = collections.namedtuple("Insn", "at guard text")
# kernel: begin of the mangled name; insn: begin of the instruction.
# want: how many by iteration of the source, a tuple: in each of the loops that have any, or "N in all".
# marks: (match of kernel) -> [(benchmark, parameters of its rows)].
# exact: the numbers of iterations that are run; if all are multiples of the loop's step, figures can be corrected.
Rule = collections.namedtuple("Rule", "kernel insn want marks exact", defaults=[()])
# factor: as many times too small is a time per instruction; None if that cannot be known
Finding = collections.namedtuple("Finding", "benchmark params kernel message factor")

LINE = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s+(@!?U?P[0-9T]\s+)?([A-Z][^;]*?)\s*;")
ADD = re.compile(r"(?:VIADD|U?IADD3) (U?R\d+),(?: U?P\d,)? (U?R\d+), (-?0x[0-9a-f]+)\b")

KINDS = ("ca", "cg")
STORES = ("none", "same", "next", "after")
PATTERNS = ("stride", "group", "random", "warp", "one")
OPS = ("red.u32", "atom.u32", "red.f32", "atom.cas")
BARRIERS = {0: "bar.sync", 1: "membar.cta", 2: "membar.gl", 4: "store+membar.gl", 5: "store+membar.cta"}
TEXELS = {"h": "u8", "f": "f32", "6float4": "f32x4"}
MODES = ("free", "chain", "load", "barrier", "loop")

# Instructions of one step of arith.inc, by name; those of earlier results are there, too.
STEPS = {
    "fadd_f32": ("FADD", 1), "fmul_f32": ("FMUL", 1), "fma_f32": ("FFMA", 1), "min_max_f32_x2": ("FMNMX", 2),
    "div_rn_f32": ("MUFU.RCP", 1), "div_full_f32": ("MUFU.RCP", 1), "div_approx_f32": ("MUFU.RCP", 1),
    "sqrt_rn_f32": ("MUFU.RSQ", 1), "sqrt_approx_f32": ("MUFU.SQRT", 1), "rcp_rn_f32": ("MUFU.RCP", 1),
    "rcp_approx_f32": ("MUFU.RCP", 1), "rcp_tanh_approx_f32_x2": (r"MUFU.(RCP|TANH)", 2),
    "rsqrt_approx_f32": ("MUFU.RSQ", 1), "sin_approx_f32": ("MUFU.SIN", 1), "ex2_approx_f32": ("MUFU.EX2", 1),
    "lg2_approx_f32": ("MUFU.LG2", 1), "tanh_approx_f32": ("MUFU.TANH", 1), "cvt_f32_s32_x2": ("F2I|I2F", 2),
    "dadd_f64": ("DADD", 1), "dmul_f64": ("DMUL", 1), "fma_f64": ("DFMA", 1), "div_rn_f64": ("MUFU.RCP64H", 1),
    "sqrt_rn_f64": ("MUFU.RSQ64H", 1), "rcp_rn_f64": ("MUFU.RCP64H", 1), "cvt_f64_f32_x2": ("F2F", 2),
    "fma_f16x2": (r"HFMA2\S* R\d+, R\d", 1), "fma_bf16x2": (r"HFMA2\S* R\d+, R\d", 1),
    "iadd_32_x2": (r"(IMAD.IADD|IADD3|VIADD)\b", 2), "imul_32": ("IMAD ", 1), "imulhi_32": ("IMAD.HI", 1),
    "imad_32": ("IMAD ", 1), "min_max_s32_x2": ("VIMNMX|IMNMX", 2), "lop3_32": ("LOP3", 1),
    "shift_funnel_32": ("SHF.L", 1), "shl_add_32_x2": (r"(SHF.L|IMAD.IADD|IADD3|VIADD)\b", 2),
    "setp_selp_32_x2": ("SEL", 1), "popc_32": ("POPC", 1), "clz_add_32_x2": ("FLO", 1),
    "brev_add_32_x2": ("BREV", 1), "prmt_32": ("PRMT", 1), "dp4a_32": ("IDP", 1),
    "udiv_32_plus_add": ("MUFU.RCP", 1), "sdiv_32_plus_add": ("MUFU.RCP", 1), "urem_32_plus_add": ("MUFU.RCP", 1),
    "iadd_64_x2": ("IADD3 ", 2), "imul_64": ("IMAD.WIDE", 1), "imulhi_64": ("IMAD.WIDE", 4),
    "imad_64": ("IMAD.WIDE", 1), "imad_wide_32": ("IMAD.WIDE", 1), "imul_wide_32": ("IMAD.WIDE", 1),
    "shl_add_64_x2": ("SHF", 2),
    "udiv_64_plus_add": ("CALL", 1), "urem_64_plus_add": ("CALL", 1), "shfl_idx": ("SHFL.IDX", 1),
    "shfl_bfly": ("SHFL.BFLY", 1), "vote_ballot": ("VOTE", 1), "redux_add": ("REDUX", 1), "match_any": ("MATCH", 1),
}


def number(m, i):
    return int(m.group(i))


def of(*names, **params):
    """Marks of all rows of these benchmarks, or those with these parameters."""
    return lambda m: [(n, {k: f(m) for k, f in params.items()}) for n in names]


def kind(i):
    return lambda m: KINDS[number(m, i)]


RULES = [
    Rule(r"_Z4hitsILi(\d+)ELi(\d)E", "LDG.*STRONG", 8, of("l1_rate", width=lambda m: number(m, 1), kind=kind(2)),
         (4, 128)),
    Rule(r"_Z5readsI(h|f|6float4)Lb(\d)E", "TEX|TLD", 4,
         of("tex_rate", type=lambda m: TEXELS[m.group(1)]), (4, 128)),
    Rule(r"_Z10read_chainI(h|f|6float4)Lb(\d)E", "TEX|TLD", 1, of("tex_latency", type=lambda m: TEXELS[m.group(1)])),
    Rule(r"_Z11chase_steps", "LDG", (1, 1, 1, 1), of("l1_size", "l1_block", "l1_ways", "l1_random", "l1_pattern")),
    Rule(r"_Z11two_sectorsILi(\d)E", "LDG.E.64", 2,
         lambda m: [(f"sectors_{n}", {"level": ("l1", "l2")[number(m, 1)]}) for n in ("default", 32, 64, 128)]),
    Rule(r"_Z14line_latencies", "LDG", 1, of("slices")),
    Rule(r"_Z10walk_lines", "LDG", 1, of("after_write")),
    Rule(r"_Z16random_latencies", "LDG", 1, lambda m: [("l2_size", {"warmed": w}) for w in ("one", "all")]),
    Rule(r"_Z10two_places", "LDG", 8, of("slice_pairs")),
    Rule(r"_Z6stream", "LDG.E.128", (4, 1), of("l2_sms", "l2_size", "merge_sms")),
    Rule(r"_Z6spread", "LDG", 4, of("l2_spread")),
    Rule(r"_Z3hot", "LDG", 4, of("l2_hot")),
    Rule(r"_Z9two_warps", "LDG", 2, of("merge")),
    Rule(r"_Z6roundsILi(\d)ELi(\d+)E", "LDG", lambda m: number(m, 2),
         of("inflight", "inflight_small", kind=kind(1), ahead=lambda m: number(m, 2))),
    Rule(r"_Z9store_allILi(\d+)ELi(\d)E", "STG", 1,
         of("stores", width=lambda m: number(m, 1), pattern=lambda m: PATTERNS[number(m, 2)])),
    Rule(r"_Z7add_allILi(\d)E", "REDG?|ATOMG?", 4, of("atomics", op=lambda m: OPS[number(m, 1)])),
    Rule(r"_Z14load_and_storeILi0ELi\d+E", "LDG", 1, of("load_store", store=lambda m: "none")),
    Rule(r"_Z14load_and_storeILi([1-3])ELi\d+E", "LDG|STG", 2, of("load_store", store=lambda m: STORES[number(m, 1)])),
    # two: for all lanes at once after a sum over the warp, and for each lane where not all are there
    Rule(r"_Z9add_chainILi(\d)E", "ATOMG?", 1,
         of("atom_latency", op=lambda m: OPS[number(m, 1)], lanes=lambda m: 32)),
    Rule(r"_Z7latencyI\d+op_(\w+?)Ev", lambda m: STEPS[m.group(1)][0], lambda m: 16 * STEPS[m.group(1)][1],
         of("arith_latency", op=lambda m: m.group(1))),
    Rule(r"_Z4rateI\d+op_(\w+?)Ev", lambda m: STEPS[m.group(1)][0], lambda m: 32 * STEPS[m.group(1)][1],
         of("arith_rate", op=lambda m: m.group(1))),
    Rule(r"_Z12shared_chain", "LDS", 1, of("shared_latency")),
    Rule(r"_Z12shared_loadsILi(\d+)E", "LDS", 4, of("shared_rate", width=lambda m: number(m, 1))),
    Rule(r"_Z11const_chain", r"LDC \S+ c\[0x3\]", 1, of("const_latency")),
    Rule(r"_Z8barriersILi([012])E", "BAR|MEMBAR", 1, of("barrier", what=lambda m: BARRIERS[number(m, 1)])),
    Rule(r"_Z8barriersILi([45])E", "STG|MEMBAR", 2, of("barrier", what=lambda m: BARRIERS[number(m, 1)])),
    Rule(r"_Z8straightILi(\d+)E", "FFMA", lambda m: number(m, 1), of("fetch", insns=lambda m: number(m, 1))),
    Rule(r"_Z8paths_of", "FFMA", 32, of("branch")),
    Rule(r"_Z7loop_of", "FFMA", 1, of("branch", loop=lambda m: "not_unrolled")),
    Rule(r"_Z12count_roundsILi(\d+)E", "FFMA", lambda m: number(m, 1),
         of("loops", ends=lambda m: "counter", body=lambda m: number(m, 1))),
    Rule(r"_Z12chain_roundsILi(\d+)E", "FFMA", lambda m: number(m, 1),
         of("loops", ends=lambda m: "chain", body=lambda m: number(m, 1))),
    Rule(r"_Z10walk_until", "LDG", 1, of("loops", ends=lambda m: "load")),
    # no S2UR, whose result comes later than CS2R's
    Rule(r"_Z6recordILi([0-3])E", "CS2R.*SR_CLOCKLO", "48 in all", of("scheduler", mode=lambda m: MODES[number(m, 1)])),
    Rule(r"_Z11record_loop", "FFMA", 6, of("scheduler", mode=lambda m: "loop")),
    Rule(r"_Z13walk_pointers|_Z12walk_indices", "LDG", 1, of("chase", "chase_large", "chase_short", "tlb")),
    Rule(r"_Z10walk_timed", "LDG", 1, of("dram")),
]


def read_text(path):
    if path.endswith(".zst"):
        return subprocess.run(["zstd", "-dcq", path], check=True, stdout=subprocess.PIPE).stdout.decode()
    with (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8") as file:
        return file.read()


def functions(text):
    """{mangled name: [Insn]}"""
    out, code = {}, []
    for line in text.splitlines():
        if "Function :" in line:
            code = out[line.split(":")[1].strip()] = []
        elif (m := LINE.match(line)) is not None:
            code.append(Insn(int(m.group(1), 16), (m.group(2) or "").strip(), m.group(3).replace(".reuse", "")))
    return out


def loops(code, insn):
    """Bodies of the innermost loops that have such an instruction and do not end before the clock is read first."""
    clock = min((i.at for i in code if "SR_CLOCKLO" in i.text), default=0)
    spans = {}
    for i in code:
        m = re.match(r"BRA\S* .*?(0x[0-9a-f]+)$", i.text)
        if m and int(m.group(1), 16) < i.at > clock:
            spans[int(m.group(1), 16)] = i.at
    have = {span for span in spans.items() if any(span[0] <= i.at <= span[1] and insn.match(i.text) for i in code)}
    return [[i for i in code if a <= i.at <= b] for a, b in sorted(have)
            if not any((a, b) != (c, d) and a <= c and d <= b for c, d in have)]


def counter(body):
    """(the instruction that counts the loop's iterations, by how many), or (None, None)."""
    last = body[-1]
    deciding = set(re.findall(r"\bU?P\d", last.guard + " " + last.text))
    sets = [i.text for i in body if re.match(r"U?ISETP", i.text)]
    if any(i.text.startswith("PLOP3") and i.text.split()[1].strip(",") in deciding for i in body):
        deciding |= {t.split()[1].strip(",") for t in sets if t.startswith("UISETP")}
    compared = {r for t in sets if t.split()[1].strip(",") in deciding for r in re.findall(r"\bU?R\d+", t)}
    found = []
    for i in body:
        m = ADD.match(i.text)
        if m and m.group(1) == m.group(2) and m.group(1) in compared:
            step = int(m.group(3), 16)
            found.append((i, abs(step - (1 << 32) if step >= 1 << 31 else step)))
    return found[0] if len({s for _, s in found}) == 1 else (None, None)


def check_kernel(rule, m, code):
    """(what does not hold, or "", factor)"""
    insn = re.compile(rule.insn if isinstance(rule.insn, str) else rule.insn(m))
    want = rule.want(m) if callable(rule.want) else rule.want
    what = insn.pattern
    if isinstance(want, str):
        found = sum(insn.match(i.text) is not None for i in code)
        return ("" if found == int(want.split()[0]) else f"has {found} {what}, not {want}"), None
    bodies = loops(code, insn)
    if isinstance(want, tuple):
        found = tuple(sum(insn.match(i.text) is not None for i in b) for b in bodies)
        return ("" if found == want else f"{what} in its loops: {found or 0}, not {want}"), None
    if not bodies:
        return f"{what}: none in a loop, {want} should be in each iteration", None
    for body in bodies:
        count, step = counter(body)
        n = sum(insn.match(i.text) is not None and i is not count for i in body)
        if step is None and n == want:  # it is not unrolled
            continue
        if step is None:
            return f"{what}: {n} in a loop whose step is not known, {want} should be in each iteration", None
        if n != want * step:
            exact = rule.exact and len(bodies) == 1 and all(x % step == 0 for x in rule.exact)
            return (f"{what}: {n} for {step} iterations, {want * step} should be there",
                    want * step / n if exact else None)
    return "", None


def check(text):
    """All findings in the machine code of the programs."""
    out = []
    for name, code in functions(text).items():
        for rule in RULES:
            m = re.match(rule.kernel, name)
            if not m:
                continue
            try:
                message, factor = check_kernel(rule, m, code)
            except KeyError:
                message, factor = "no rule in micro_sass.py for this operation", None
            if message:
                out += [Finding(b, params, name, message, factor) for b, params in rule.marks(m)]
    return out


def say(f):
    rows = " ".join([f.benchmark, *(f"{k}={v}" for k, v in f.params.items())])
    return (f"{rows}: {f.kernel}: {f.message}; " +
            (f"times per instruction are too small by {f.factor:g}" if f.factor else "not to be used"))


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    text = read_text(sys.argv[1])
    known = [n for n in functions(text) if any(re.match(r.kernel, n) for r in RULES)]
    findings = check(text)
    for f in findings:
        print(say(f))
    print(f"{len(known)} kernels that are timed, {len({f.kernel for f in findings})} without what is counted")
    sys.exit(1 if findings or not known else 0)


if __name__ == "__main__":
    main()
