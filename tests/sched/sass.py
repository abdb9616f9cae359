#!/usr/bin/env python3
"""What an assembler has made of PTX: where it put loads, how often it unrolled loops.

    sass.py lines CUBIN                 of each machine instruction the line of PTX that it is for (used by sass.sh)
    sass.py data FOLDER -o FILE.json    reads what sass.sh left in FOLDER, and the PTX files that it names
                                        (--ptx ROOT: below which these are; default: the current folder)
    sass.py show FILE.json[.zst] [KERNEL...]   the same to read: a line per loop

The data, one entry per kernel ("FILE:NAME"):
    registers       as ptxas counts them; spills: bytes stored and loaded for want of registers
    blocks          basic blocks in the order of the machine code: at (first instruction), n (instructions), next (blocks
                    that follow), depth (loops around it), mem, other
      mem           [place in the block, opcode, kind, space, bytes, cache operator, guard, line of PTX, destination,
                    distance]: kind is load, store, atomic or copy; distance is how many instructions later its result is
                    first used, on the shortest way (-1: never, or a store)
      other         [place, what]: barrier, branch, call, exit, fence, warp
    loops           of the machine code: head and blocks; depth; copies: how often each line of PTX that loads or stores
                    stands in it, {line: n}; of: the loop of the PTX that most of these lines are of
    ptx_loops       of the PTX: first and last line, depth, instructions, loads, stores (lines, inner loops not counted),
                    nounroll; and unroll: how often the machine code's loop with the most of it has it
"""
import argparse
import collections
import gzip
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile


def fail(text):
    sys.exit(f"sass.py: {text}")


def read_text(path):
    path = pathlib.Path(path)
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-dc", path], check=True, stdout=subprocess.PIPE).stdout.decode()
    return gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text(encoding="utf-8")


# ---- lines of PTX: the section .nv_debug_line_sass of a cubin, DWARF's line programs ----

class Elf:
    def __init__(self, data):
        self.data = data
        if data[:5] != b"\x7fELF\x02":
            fail("no 64-bit ELF file")
        at, = struct.unpack_from("<Q", data, 40)
        size, n, names = struct.unpack_from("<HHH", data, 58)
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", data, at + i * size) for i in range(n)]
        self.names = [self.string(names, s[0]) for s in self.sections]

    def string(self, section, at):
        begin = self.sections[section][4] + at
        return self.data[begin:self.data.index(b"\0", begin)].decode()

    def find(self, name):
        return self.names.index(name) if name in self.names else None

    def bytes(self, i):
        return self.data[self.sections[i][4]:self.sections[i][4] + self.sections[i][5]]

    def relocations(self, name):
        """{offset: section that is meant}"""
        out = {}
        for kind, form in ((".rela", "<QQq"), (".rel", "<QQ")):
            i = self.find(kind + name)
            if i is None:
                continue
            symbols = self.bytes(self.sections[i][6])
            for r in struct.iter_unpack(form, self.bytes(i)):
                section, = struct.unpack_from("<H", symbols, (r[1] >> 32) * 24 + 6)
                out[r[0]] = section
        return out


class Cursor:
    def __init__(self, data, at):
        self.data, self.at = data, at

    def take(self, form):
        value, = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize(form)
        return value

    def leb(self, signed=False):
        value = shift = 0
        while True:
            byte = self.take("B")
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value - (1 << shift) if signed and byte & 64 else value


def line_program(c, end, meant, rows):
    """One program of a section; rows[section of code] gets (address, line)."""
    c.take("H")
    begin = c.take("I")
    begin += c.at
    least, _, line_base, line_range, opcode_base = (c.take(f) for f in "BBbBB")
    lengths = [c.take("B") for _ in range(opcode_base - 1)]
    c.at = begin
    section, address, line = None, 0, 1
    while c.at < end:
        op = c.take("B")
        if op >= opcode_base:
            address += (op - opcode_base) // line_range * least
            line += line_base + (op - opcode_base) % line_range
            rows[section].append((address, line))
        elif op == 0:
            size = c.leb()
            after = c.at + size
            sub = c.take("B")
            if sub == 1:
                rows[section].append((address, 0))
                section, address, line = None, 0, 1
            elif sub == 2:
                section = meant.get(c.at)
                address = c.take("Q")
            c.at = after
        elif op == 1:
            rows[section].append((address, line))
        elif op == 2:
            address += c.leb() * least
        elif op == 3:
            line += c.leb(True)
        elif op == 8:
            address += (255 - opcode_base) // line_range * least
        elif op == 9:
            address += c.take("H")
        else:
            for _ in range(lengths[op - 1]):
                c.leb()
    c.at = end


def ptx_lines(data):
    """{kernel: {address: line of PTX}}"""
    elf = Elf(data)
    at = elf.find(".nv_debug_line_sass")
    out = {}
    if at is None:
        return out
    rows, meant = collections.defaultdict(list), elf.relocations(".nv_debug_line_sass")
    c = Cursor(elf.bytes(at), 0)
    while c.at + 4 < len(c.data):
        size = c.take("I")
        line_program(c, c.at + size, meant, rows)
    for section, found in rows.items():
        if section is None or not elf.names[section].startswith(".text."):
            continue
        size = elf.sections[section][5]
        found.sort()
        of = {}
        for (address, line), (until, _) in zip(found, found[1:] + [(size, 0)]):
            for pc in range(address, min(until, size), 16):
                of[pc] = line
        out[elf.names[section][6:]] = of
    return out


def print_lines(path):
    for kernel, of in sorted(ptx_lines(pathlib.Path(path).read_bytes()).items()):
        print(kernel, *(of.get(pc, 0) for pc in range(0, max(of, default=-16) + 16, 16)))


def lines_of_ptx(file, head):
    """The same of a file of PTX, by an assembler that is here; `head`: versions and command of the machine code."""
    version, command = head[0].split(",")[0], head[1]
    said = subprocess.run(["ptxas", "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
    if version.split()[-1] not in said:
        fail(f"the machine code has no lines and is of {version}, which is not the ptxas that is here")
    with tempfile.TemporaryDirectory() as folder:
        cubin = pathlib.Path(folder) / "one.cubin"
        subprocess.run(["ptxas", re.search(r"-arch=\w+", command).group(), "-O3", "-lineinfo", "-o", cubin, file], check=True)
        found = ptx_lines(cubin.read_bytes())
    return {k: [of.get(pc, 0) for pc in range(0, max(of, default=-16) + 16, 16)] for k, of in found.items()}


def read_lines(text):
    """{(file, kernel): [line of each instruction]}"""
    out, file = {}, ""
    for row in text.splitlines():
        if row.startswith("== "):
            file = row[3:]
        else:
            kernel, *numbers = row.split()
            out[file, kernel] = [int(n) for n in numbers]
    return out


# ---- graphs ----

def dominators(n, succ):
    """Blocks that every way from block 0 to a block goes through; unreachable ones have none."""
    pred = [[] for _ in range(n)]
    for b in range(n):
        for s in succ[b]:
            pred[s].append(b)
    seen, stack = set(), [0] if n else []
    while stack:
        b = stack.pop()
        if b not in seen:
            seen.add(b)
            stack += succ[b]
    dom = [set(seen) if b in seen else set() for b in range(n)]
    if n:
        dom[0] = {0}
    changed = True
    while changed:
        changed = False
        for b in sorted(seen - {0}):
            now = set.intersection(*(dom[p] for p in pred[b] if p in seen)) | {b}
            changed |= now != dom[b]
            dom[b] = now
    return dom, pred


def find_loops(n, succ):
    """[(head, blocks)], outer ones first; back edges to one head are one loop."""
    dom, pred = dominators(n, succ)
    loops = {}
    for b in range(n):
        for s in succ[b]:
            if s not in dom[b]:
                continue
            body, stack = loops.setdefault(s, {s}), [b]
            while stack:
                x = stack.pop()
                if x not in body:
                    body.add(x)
                    stack += pred[x]
    return sorted(loops.items(), key=lambda l: (-len(l[1]), l[0]))


def depths(n, loops):
    return [sum(b in body for _, body in loops) for b in range(n)]


def innermost(b, loops):
    """The smallest loop that a block is in, by its place in the list; None."""
    inside = [k for k, (_, body) in enumerate(loops) if b in body]
    return max(inside, key=lambda k: -len(loops[k][1])) if inside else None


# ---- PTX ----

PTX_LABEL = re.compile(r"^(\$?[\w$%.]+):")
PTX_INSN = re.compile(r"^(@!?%\w+\s+)?([a-z][\w.:]*)\b(.*)$")


def ptx_kernels(text):
    """{name: [(line, label or None, guard, opcode, operands)]}; pragmas and labels are rows as well."""
    out, rows, inside = {}, None, False
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.split("//")[0].strip()
        entry = re.match(r"^(?:\.visible\s+|\.weak\s+|\.extern\s+)*\.(?:entry|func)\s+(?:\(.*?\)\s*)?([\w$]+)", line)
        if entry:
            rows, inside = out.setdefault(entry.group(1), []), False
            continue
        if rows is None:
            continue
        if line.startswith("{"):
            inside, line = True, line[1:].strip()
        if not inside or not line or line == "}":
            continue
        label = PTX_LABEL.match(line)
        if label:
            rows.append((number, label.group(1), "", "", ""))
            line = line[label.end():].strip()
        if line.startswith(".pragma"):
            rows.append((number, None, "", ".pragma", line))
        insn = PTX_INSN.match(line)
        if insn:
            rows.append((number, None, insn.group(1) or "", insn.group(2), insn.group(3)))
    return out


def ptx_graph(rows):
    """(blocks as lists of rows, successors)"""
    blocks, starts, fresh = [], {}, True
    for row in rows:
        if row[1] is not None:
            if not blocks or blocks[-1]:
                blocks.append([])
            starts[row[1]] = len(blocks) - 1
            fresh = False
            continue
        if fresh or not blocks:
            blocks.append([])
            fresh = False
        blocks[-1].append(row)
        fresh = row[3].split(".")[0] in ("bra", "brx", "ret", "exit", "trap")
    succ = []
    for b, block in enumerate(blocks):
        to, falls = [], True
        if block:
            _, _, guard, opcode, operands = block[-1]
            word = opcode.split(".")[0]
            if word == "bra":
                target = operands.strip().rstrip(";").strip()
                to = [starts[target]] if target in starts else []
            falls = word not in ("bra", "brx", "ret", "exit", "trap") or bool(guard)
        if falls and b + 1 < len(blocks):
            to.append(b + 1)
        succ.append(to)
    return blocks, succ


def ptx_access(opcode):
    """load, store, atomic or copy of a space that is a memory of its own; None."""
    parts = opcode.split(".")
    if {"param", "const"} & set(parts):
        return None
    if parts[0] in ("ld", "ldu", "tex", "tld4", "suld"):
        return "load"
    if parts[0] in ("st", "sust"):
        return "store"
    if parts[0] in ("atom", "red", "sured"):
        return "atomic"
    return "copy" if opcode.startswith("cp.async") and "global" in parts else None


def ptx_loops(rows):
    blocks, succ = ptx_graph(rows)
    loops = find_loops(len(blocks), succ)
    depth = depths(len(blocks), loops)
    out = []
    for k, (head, body) in enumerate(loops):
        own = [row for b in sorted(body) if innermost(b, loops) == k for row in blocks[b]]
        lines = [row[0] for b in body for row in blocks[b]] or [0]
        insns = [row for row in own if row[3] != ".pragma"]
        accesses = [(row[0], ptx_access(row[3])) for row in insns]
        out.append({"first": min(lines), "last": max(lines), "depth": depth[head], "instructions": len(insns),
                    "loads": [n for n, a in accesses if a == "load"],
                    "stores": [n for n, a in accesses if a in ("store", "atomic", "copy")],
                    "nounroll": any(row[3] == ".pragma" and "nounroll" in row[4] for row in own)})
    return out


# ---- machine code ----

SASS_INSN = re.compile(r"^\s*/\*([0-9a-f]{4,})\*/\s+(?:\{\s*)?(@!?U?P[T0-9]+\s+)?([A-Z][\w.]*)\s*(.*?)"
                       r"(?:\s+[&?][A-Za-z].*?)?\s*;?\s*\}?\s*$")  # &wr=0x0 ?trans1: the schedule, of newer targets
SASS_LABEL = re.compile(r"^\s*\.?(L_x?_?\w+):")
FUNCTION = (re.compile(r"^\s*Function\s*:\s*(\S+)"), re.compile(r"^\s*\.text\.(\S+):"))
REGISTER = re.compile(r"(?<![\w.])(UR|R|UP|P)(\d+|Z|T)\b(\.64)?")
SPACES = {"LDG": "global", "STG": "global", "LD": "generic", "ST": "generic", "LDS": "shared", "STS": "shared",
          "LDL": "local", "STL": "local", "LDC": "const", "LDCU": "const", "ATOM": "generic", "ATOMG": "global",
          "ATOMS": "shared", "RED": "global", "REDG": "global", "REDS": "shared", "REDAS": "shared", "LDGSTS": "global",
          "LDSM": "shared", "STSM": "shared", "TEX": "tex", "TLD": "tex", "TLD4": "tex", "SULD": "tex", "SUST": "tex",
          "SUATOM": "tex", "SURED": "tex"}
OTHER = {"BAR": "barrier", "BRA": "branch", "BRX": "branch", "BRXU": "branch", "JMP": "branch", "JMX": "branch",
         "CALL": "call", "RET": "return", "EXIT": "exit", "KILL": "exit", "BPT": "exit", "MEMBAR": "fence",
         "ERRBAR": "fence", "CCTL": "fence", "FENCE": "fence", "WARPSYNC": "warp", "BSSY": "warp", "BSYNC": "warp",
         "BREAK": "warp", "YIELD": "warp", "SHFL": "warp", "VOTE": "warp", "VOTEU": "warp", "MATCH": "warp",
         "REDUX": "warp", "NANOSLEEP": "warp", "LDGDEPBAR": "copies", "DEPBAR": "copies"}
ENDS = ("BRA", "BRX", "BRXU", "JMP", "JMX", "RET", "EXIT", "KILL")
NO_RESULT = re.compile(r"^(ST|STG|STS|STL|STSM|RED|REDG|REDS|REDAS|SUST|SURED|BRA|BRX|BRXU|JMP|JMX|CALL|RET|EXIT|BAR|"
                       r"MEMBAR|CCTL|WARPSYNC|BSSY|BSYNC|NOP|LDGSTS|DEPBAR|.*SETP2?|FCHK|PLOP3|UPLOP3)$")


class Insn:
    def __init__(self, pc, guard, opcode, operands):
        self.pc, self.guard, self.opcode, self.operands = pc, (guard or "").strip(), opcode, operands
        self.word, *self.mods = opcode.split(".")
        self.line = 0
        self.target = None
        if self.word in ("BRA", "JMP", "BSSY", "CALL"):
            label = re.search(r"`\(\.?([\w$.]+)\)", operands)
            address = re.findall(r"\b0x[0-9a-f]+\b", operands)
            self.target = label.group(1) if label else int(address[-1], 16) if address else None
        self.dst, self.src = self.registers()

    def bytes(self):
        for m in self.mods:
            if m in ("8", "U8", "S8"):
                return 1
            if m in ("16", "U16", "S16"):
                return 2
            if m in ("64", "128"):
                return int(m) // 8
        return 4

    def registers(self):
        parts = [p.strip() for p in split_operands(self.operands)]
        dst, k = [], 0
        if not NO_RESULT.match(self.word):
            while k < len(parts) and re.fullmatch(r"U?P[T0-9]+", parts[k]):
                k += 1
            if k < len(parts) and (m := re.fullmatch(r"(U?R)(\d+|Z)(?:\.\w+)*", parts[k])):
                dst = run(m.group(1), m.group(2), self.width_of_result())
                k += 1
        src = []
        pair = self.word in ("DADD", "DMUL", "DFMA", "DSETP", "DMNMX") or "64" in self.mods and self.word[:2] == "ST"
        for i in range(k, len(parts)):
            for m in REGISTER.finditer(parts[i]):
                wide = m.group(3) or pair or ("WIDE" in self.mods and i == len(parts) - 1)
                n = 4 if "128" in self.mods and self.word[:2] == "ST" and "[" not in parts[i] else 2 if wide else 1
                src += run(m.group(1), m.group(2), n) if m.group(1) in ("R", "UR") else []
        return dst, src

    def width_of_result(self):
        if self.word in SPACES and self.word not in ("LDSM", "TEX", "TLD", "TLD4"):
            return max(1, self.bytes() // 4)
        return 2 if "WIDE" in self.mods or self.word in ("DADD", "DMUL", "DFMA", "DMNMX") or "64" in self.mods else 1

    def access(self):
        if self.word not in SPACES or SPACES[self.word] == "const":
            return None
        if self.word == "LDGSTS":
            return "copy"
        if self.word[:4] in ("ATOM", "REDG", "REDS", "REDA", "SURE", "SUAT") or self.word == "RED":
            return "atomic"
        return "store" if self.word[:2] == "ST" or self.word == "SUST" else "load"

    def cache_op(self):
        keep = [m for m in self.mods if m in ("CONSTANT", "STRONG", "WEAK", "EF", "EL", "LU", "EU", "NA", "CTA", "GPU", "SM",
                                              "SYS", "MMIO", "BYPASS", "ACCESS")]
        return ".".join(keep)


def run(kind, number, n):
    return [] if number in ("Z", "T") else [f"{kind}{int(number) + i}" for i in range(n)]


def split_operands(text):
    depth, part, out = 0, "", []
    for ch in text:
        depth += (ch in "([") - (ch in ")]")
        if ch == "," and depth == 0:
            out.append(part)
            part = ""
        else:
            part += ch
    return out + [part] if part.strip() else out


def sass_functions(text):
    """{(file, name): (instructions, {label: index})}, of cuobjdump's or nvdisasm's text."""
    out, file, at = {}, "", None
    for row in text.splitlines():
        if row.startswith("== "):
            file, at = row[3:], None
            continue
        name = next((m.group(1) for m in (f.match(row) for f in FUNCTION) if m), None)
        if name is not None:
            at = out.setdefault((file, name), ([], {}))
            continue
        if at is None:
            continue
        label = SASS_LABEL.match(row)
        if label:
            at[1][label.group(1)] = len(at[0])
            continue
        insn = SASS_INSN.match(row)
        if insn:
            at[0].append(Insn(int(insn.group(1), 16), insn.group(2), insn.group(3), insn.group(4)))
    return out


def trimmed(insns):
    """Without what follows the last instruction that can be reached: a branch to itself and padding."""
    n = len(insns)
    while n > 0 and (insns[n - 1].word == "NOP" or (insns[n - 1].word == "BRA" and insns[n - 1].target == insns[n - 1].pc)):
        n -= 1
    return insns[:n]


def sass_graph(insns, labels):
    """([first instruction of each block], successors)"""
    where = {i.pc: k for k, i in enumerate(insns)}

    def target(i):
        k = labels.get(i.target) if isinstance(i.target, str) else where.get(i.target)
        return k if k is not None and k < len(insns) else None

    starts = {0}
    for k, i in enumerate(insns):
        if i.word in ("BRA", "JMP", "CALL") and target(i) is not None:
            starts.add(target(i))
        if i.word in ENDS and k + 1 < len(insns):
            starts.add(k + 1)
    starts |= {k for k in labels.values() if k < len(insns)}
    starts = sorted(starts)
    block_of = {s: b for b, s in enumerate(starts)}
    succ = []
    for b, s in enumerate(starts):
        last = (starts[b + 1] if b + 1 < len(starts) else len(insns)) - 1
        i, to = insns[last], []
        if i.word in ("BRA", "JMP") and target(i) is not None:
            to.append(block_of[target(i)])
        always = not i.guard and not re.match(r"^!?U?P\d", i.operands)
        if not (i.word in ENDS and always) and b + 1 < len(starts):
            to.append(b + 1)
        succ.append(list(dict.fromkeys(to)))
    return starts, succ


def first_use(insns, starts, succ, block, k):
    """Instructions from k to the first that reads its result, on the shortest way; -1."""
    wanted = set(insns[k].dst)
    ends = starts[1:] + [len(insns)]
    work, seen = [(k - starts[block] + 1, block, 1, wanted)], set()
    best = -1
    while work:
        at, b, distance, left = work.pop()
        alive = set(left)
        found = False
        for i in range(starts[b] + at, ends[b]):
            if alive & set(insns[i].src):
                best = distance if best < 0 else min(best, distance)
                found = True
                break
            if not insns[i].guard:
                alive -= set(insns[i].dst)
            if not alive:
                break
            distance += 1
        if found or not alive or (best >= 0 and distance >= best):
            continue
        for s in succ[b]:
            if (s, tuple(sorted(alive))) not in seen:
                seen.add((s, tuple(sorted(alive))))
                work.insert(0, (0, s, distance, alive))
    return best


def describe_block(insns, starts, succ, b, depth):
    end = starts[b + 1] if b + 1 < len(starts) else len(insns)
    mem, other = [], []
    for k in range(starts[b], end):
        i = insns[k]
        kind = i.access()
        if kind is not None:
            use = first_use(insns, starts, succ, b, k) if i.dst else -1
            mem.append([k - starts[b], i.opcode, kind, SPACES[i.word], i.bytes(), i.cache_op(), i.guard, i.line,
                        i.dst[0] if i.dst else "", use])
        elif i.word in OTHER:
            other.append([k - starts[b], OTHER[i.word]])
    return {"at": starts[b], "n": end - starts[b], "next": succ[b], "depth": depth, "mem": mem, "other": other}


def loop_of_lines(lines, loops):
    """The smallest PTX loop that most of the lines lie in: its own, not those of loops in it."""
    votes = collections.Counter()
    for line, n in lines.items():
        for k, l in enumerate(loops):
            if line in l["loads"] or line in l["stores"]:
                votes[k] += n
    return votes.most_common(1)[0][0] if votes else None


def describe(insns, labels, lines, loops):
    insns = trimmed(insns)
    for i, line in zip(insns, lines):
        i.line = line
    starts, succ = sass_graph(insns, labels)
    found = find_loops(len(starts), succ)
    depth = depths(len(starts), found)
    blocks = [describe_block(insns, starts, succ, b, depth[b]) for b in range(len(starts))]
    out = []
    for k, (head, body) in enumerate(found):
        copies = collections.Counter(m[7] for b in sorted(body) if innermost(b, found) == k for m in blocks[b]["mem"])
        size = sum(blocks[b]["n"] for b in body if innermost(b, found) == k)
        out.append({"head": head, "blocks": sorted(body), "depth": depth[head], "instructions": size,
                    "copies": {str(l): n for l, n in sorted(copies.items())}, "of": loop_of_lines(copies, loops)})
    for k, l in enumerate(loops):
        l["unroll"] = max((max(s["copies"].values()) for s in out if s["of"] == k and s["copies"]), default=0)
    return {"instructions": len(insns), "blocks": blocks, "loops": out, "ptx_loops": loops}


def read_registers(text):
    """({(file, kernel): {registers, spill_stores, spill_loads, stack}}, head lines)"""
    out, file, kernel, head = {}, "", None, []
    for row in text.splitlines():
        if row.startswith("# "):
            head.append(row[2:])
        elif row.startswith("== "):
            file, kernel = row[3:], None
        elif m := re.search(r"Compiling entry function '([^']+)'", row):
            kernel = m.group(1)
            out[file, kernel] = {}
        elif kernel and (m := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", row)):
            if "registers" not in out[file, kernel]:
                out[file, kernel].update(zip(("stack", "spill_stores", "spill_loads"), map(int, m.groups())))
        elif kernel and (m := re.search(r"Used (\d+) registers", row)):
            out[file, kernel]["registers"] = int(m.group(1))
    return out, head


def make_data(args):
    folder = pathlib.Path(args.folder)

    def one(name):
        found = [folder / (name + s) for s in (".zst", ".gz", "") if (folder / (name + s)).exists()]
        return read_text(found[0]) if found else fail(f"{folder} has no {name}[.zst|.gz]: run sass.sh {folder}")

    registers, head = read_registers(one("ptxas.txt"))
    lines, functions = read_lines(one("lines.txt")), sass_functions(one("sass.txt"))
    kernels, texts, has_lines = {}, {}, bool(lines)
    for (file, name), (insns, labels) in sorted(functions.items()):
        if (file, name) not in registers:
            continue
        if file not in texts:
            path = pathlib.Path(args.ptx) / file
            texts[file] = ptx_kernels(path.read_text(encoding="utf-8")) if path.exists() else fail(
                f"{path} is not there: run it where sass.sh was run, or give --ptx ROOT")
            if not has_lines:
                lines.update({(file, k): v for k, v in lines_of_ptx(path, head).items()})
        found = lines.get((file, name), [])
        if len(found) != len(insns):
            print(f"sass.py: {file}:{name}: {len(insns)} instructions, lines for {len(found)}", file=sys.stderr)
        loops = ptx_loops(texts[file].get(name, []))
        kernels[f"{pathlib.Path(file).name}:{name}"] = {**registers[file, name], **describe(insns, labels, found, loops)}
    missing = sorted(f"{f}:{k}" for f, k in set(registers) - set(functions))
    if missing:
        print(f"sass.py: no machine code of {len(missing)} kernels, first {missing[0]}", file=sys.stderr)
    text = "{\n" + f'"made": {json.dumps(head)},\n"kernels": {{\n' + ",\n".join(
        f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in sorted(kernels.items())) + "\n}}\n"
    out = pathlib.Path(args.output)
    if out.suffix == ".zst":
        subprocess.run(["zstd", "-q", "-19", "-f", "-o", out], input=text.encode(), check=True)
    else:
        out.write_text(text, encoding="utf-8")
    print(f"{len(kernels)} kernels, {len(text)} bytes")


def lead(blocks, loop):
    """Loads of a loop before the first use of any of them, in the order of the code; and all its loads."""
    loads, first, at = [], None, 0
    for b in loop["blocks"]:
        for m in blocks[b]["mem"]:
            if m[2] == "load" and m[3] in ("global", "generic"):
                loads.append(at + m[0])
                if m[9] >= 0:
                    use = at + m[0] + m[9]
                    first = use if first is None else min(first, use)
        at += blocks[b]["n"]
    return sum(1 for l in loads if first is None or l < first), len(loads)


def show(args):
    data = json.loads(read_text(args.file))
    print(*data["made"], sep="\n")
    for name, k in data["kernels"].items():
        if args.kernel and not any(a in name for a in args.kernel):
            continue
        print(f"{name}: {k['registers']} registers, {k['instructions']} instructions")
        for l in k["loops"]:
            ahead, loads = lead(k["blocks"], l)
            of = k["ptx_loops"][l["of"]] if l["of"] is not None else None
            print(f"  loop of {l['instructions']} at depth {l['depth']}: {loads} loads, {ahead} before the first use" + (
                f"; PTX {of['instructions']} with {len(of['loads'])} loads{', nounroll' if of['nounroll'] else ''}: "
                f"x{max(l['copies'].values())}" if of and l["copies"] else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("lines")
    p.add_argument("cubin")
    p = commands.add_parser("data")
    p.add_argument("folder")
    p.add_argument("--ptx", default=".")
    p.add_argument("-o", "--output", required=True)
    p = commands.add_parser("show")
    p.add_argument("file")
    p.add_argument("kernel", nargs="*")
    args = parser.parse_args()
    if args.command == "lines":
        print_lines(args.cubin)
    else:
        (make_data if args.command == "data" else show)(args)


if __name__ == "__main__":
    main()
