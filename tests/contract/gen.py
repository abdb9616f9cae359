#!/usr/bin/env python3
"""Writes expression kernels as PTX modules, from a seed: products and sums without a rounding
modifier, which an assembler may fuse, in straight code, under guards, in branches and in loops.

    gen.py SEED N_KERNELS FOLDER     m00.ptx m01.ptx ... with 50 kernels each, and in.bin

Every kernel is launched as one block of 32 threads with the parameters (in, out, n): in.bin, 2048
zero bytes, 3. Thread t stores its k-th result at out + 64 * t + 8 * k. The numbers come from a
generator of our own: the same seed gives the same bytes with every Python.
"""
import os
import struct
import sys

TYPES = ["f32", "f64", "f16", "f16x2", "bf16", "bf16x2"]
SHARE = [44, 20, 14, 10, 6, 6]  # percent of the kernels
STORE = {"f32": "f32", "f64": "f64", "f16": "b16", "bf16": "b16", "f16x2": "b32", "bf16x2": "b32"}
BYTES = {"f32": 4, "f64": 8, "f16": 2, "bf16": 2, "f16x2": 4, "bf16x2": 4}
SHAPES = ["line", "shared", "guard", "branch", "loop", "nest"]
SHAPE_SHARE = [26, 18, 14, 16, 16, 10]
N_INPUTS, N_OUTPUTS, PER_MODULE = 8, 8, 50
MASK = (1 << 64) - 1


class Random:
    """splitmix64"""

    def __init__(self, seed):
        self.state = seed & MASK

    def bits(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        return z ^ (z >> 31)

    def below(self, n):
        return (self.bits() >> 11) % n

    def pick(self, seq):
        return seq[self.below(len(seq))]

    def chance(self, percent):
        return self.below(100) < percent

    def weighted(self, seq, weights):
        x = self.below(sum(weights))
        for item, w in zip(seq, weights):
            if x < w:
                return item
            x -= w
        raise AssertionError


def inputs():
    """8 numbers of each type for each of 32 threads: magnitudes of 1/4 to 2, full significands.
    Thread 30 has some that are subnormal, thread 31 some zeros."""
    r = Random(0x5EED)
    out = b""
    for ty in TYPES:
        for i in range(N_INPUTS * 32):
            b = r.bits()
            sign, low, e = b >> 63, b >> 1, r.below(3)
            if i % 32 == 31 and i // 32 in (1, 4):
                low = 0
            if i % 32 >= 30 and i // 32 in (1, 4):
                e = -(1021 if ty == "f64" else 13 if ty.startswith("f16") else 125)
            if ty == "f32":
                x = sign << 31 | (125 + e) << 23 | low & 0x7FFFFF
            elif ty == "f64":
                x = sign << 63 | (1021 + e) << 52 | low & 0xFFFFFFFFFFFFF
            elif ty.startswith("f16"):
                x = sign << 15 | (13 + e) << 10 | low & 0x3FF
                x |= (low >> 20 & 1) << 31 | (13 + (low >> 40) % 3) << 26 | (low >> 21 & 0x3FF) << 16
            else:
                x = sign << 15 | (125 + e) << 7 | low & 0x7F
                x |= (low >> 20 & 1) << 31 | (125 + (low >> 40) % 3) << 23 | (low >> 21 & 0x7F) << 16
            out += struct.pack("<Q", x)
    return out


CONST = {
    "f32": ["0f3F800000", "0fBF800000", "0f40000000", "0f3F000000", "0f00000000", "0f80000000",
            "0f3EAAAAAB", "0f3DCCCCCD", "0f40490FDB"],
    "f64": ["0d3FF0000000000000", "0dBFF0000000000000", "0d4000000000000000", "0d3FE0000000000000",
            "0d0000000000000000", "0d8000000000000000", "0d3FD5555555555555", "0d3FB999999999999A",
            "0d400921FB54442D18"],
    "f16": ["0x3C00", "0xBC00", "0x4000", "0x3800", "0x0000", "0x8000", "0x3555", "0x2E66", "0x4248"],
    "bf16": ["0x3F80", "0xBF80", "0x4000", "0x3F00", "0x0000", "0x8000", "0x3EAB", "0x3DCD", "0x4049"],
}
for _t in ("f16", "bf16"):
    CONST[_t + "x2"] = [c + c[2:] for c in CONST[_t]]


class Kernel:
    def __init__(self, r, name):
        self.r, self.name = r, name
        self.ty = r.weighted(TYPES, SHARE)
        self.shape = r.weighted(SHAPES, SHAPE_SHARE)
        self.text = []
        self.n_temps = self.n_preds = self.n_labels = self.n_ints = 0
        self.vars = ["x%d" % i for i in range(N_INPUTS)]  # in scope, initialised
        self.fresh = []  # temporaries of the outermost block that nothing has read
        self.written = []  # inputs that were written over
        self.guard = ""
        full = self.ty in ("f32", "f16", "f16x2")
        self.ftz = r.pick([0, 0, 0, 0, 100, 50]) if full else 0
        self.sat = 4 if full else 0

    def emit(self, line):
        self.text.append("  " + line)

    def temp(self):
        self.n_temps += 1
        return "t%d" % (self.n_temps - 1)

    def read(self):
        late = self.vars[N_INPUTS:]
        v = self.r.pick(late) if late and self.r.chance(65) else self.r.pick(self.vars)
        if v in self.fresh:
            self.fresh.remove(v)
        return v

    def constant(self):
        c = self.r.pick(CONST[self.ty])
        if self.ty in ("f32", "f64"):
            return c
        t = self.temp()
        self.emit("mov.%s %s, %s;" % (STORE[self.ty], t, c))
        return t

    def mods(self, op):
        m = ""
        if op in ("mul", "add", "sub", "fma"):
            if op == "fma" or self.r.chance(7):
                m += ".rn"
            if self.r.chance(self.ftz):
                m += ".ftz"
            if self.r.chance(self.sat):
                m += ".sat"
        elif op in ("neg", "abs", "min", "max") and self.ty == "f32" and self.r.chance(self.ftz):
            m += ".ftz"
        return m

    def dest(self, depth):
        """A new temporary, or now and then one that is written over."""
        if self.guard or self.r.chance(14 if depth == 0 else 30):
            v = self.r.pick(self.vars)
            if v in self.fresh:
                self.fresh.remove(v)
            return v
        return None

    def product(self, like):
        """A product for a sum with these modifiers; seldom read by others, too."""
        t = self.temp()
        m = ".ftz" if ".ftz" in like or self.r.chance(self.ftz // 10) else ""
        self.emit("mul%s.%s %s, %s, %s;" % (m, self.ty, t, self.read(), self.read()))
        if self.r.chance(25):
            self.vars.append(t)
        return t

    def operation(self, depth, ops, weights):
        op = self.r.weighted(ops, weights)
        m = self.mods(op)
        n = {"neg": 1, "abs": 1, "mov": 1, "fma": 3}.get(op, 2)
        src = [self.read() for _ in range(n)]
        if op == "sub" and src[0] == src[1]:  # a zero would spoil what comes after
            src[1] = self.r.pick(self.vars[:N_INPUTS])
        if op in ("add", "sub") and self.r.chance(35):
            src[self.r.below(2)] = self.product(m)
        if op in ("mul", "add", "sub") and self.r.chance(9):
            src[self.r.below(2)] = self.constant()
        kept = self.dest(depth)
        d = kept or self.temp()
        ty = STORE[self.ty] if op == "mov" else self.ty
        self.emit("%s%s%s.%s %s, %s;" % (self.guard, op, m, ty, d, ", ".join(src)))
        self.wrote(d, kept, depth)

    def wrote(self, d, kept, depth):
        if kept:
            if d[0] == "x":
                self.written = [v for v in self.written if v != d] + [d]
            elif depth == 0:
                self.fresh.append(d)
            return
        self.vars.append(d)
        if depth == 0:
            self.fresh.append(d)

    def block(self, n, depth):
        for _ in range(n):
            self.operation(depth, ["mul", "add", "sub", "neg", "abs", "mov", "fma", "min", "max"],
                           [40, 30, 13, 5, 2, 3, 3, 2, 2])

    def shared(self, n):
        """Products first, then sums that share them."""
        for _ in range(n // 2):
            a, b = self.read(), self.read()
            d = self.temp()
            self.emit("mul%s.%s %s, %s, %s;" % (".rn" if self.r.chance(5) else "", self.ty, d, a, b))
            self.vars.append(d)
        for _ in range(n - n // 2):
            self.operation(0, ["add", "sub", "neg", "mul"], [60, 28, 8, 4])

    def predicate(self):
        p = "p%d" % self.n_preds
        self.n_preds += 1
        if self.ty in ("f32", "f64") and self.r.chance(50):
            a, b = self.read(), self.read()
            if a == b:  # known at assembly time
                b = self.r.pick([v for v in self.vars[:N_INPUTS] if v != a])
            self.emit("setp.lt.%s %s, %s, %s;" % (self.ty, p, a, b))
        else:
            b = self.n_ints
            self.n_ints += 1
            self.emit("and.b32 r%d, tid, %d;" % (b, 1 << self.r.below(5)))
            self.emit("setp.ne.u32 %s, r%d, 0;" % (p, b))
        return p

    def label(self):
        self.n_labels += 1
        return "L%d" % (self.n_labels - 1)

    def scoped(self, n, depth, inner=None):
        """A block whose new temporaries end with it; what it leaves behind is written over."""
        seen = len(self.vars)
        self.block(n, depth)
        if inner:
            inner()
            self.block(n // 2, depth)
        for _ in range(1 + self.r.below(2)):  # one thing at least comes out
            out = self.r.pick(self.vars[:N_INPUTS])
            op, a, b = self.r.pick(["add", "sub", "mul", "add"]), self.read(), self.read()
            if self.r.chance(50):
                a = out
            self.emit("%s.%s %s, %s, %s;" % (op, self.ty, out, a, b))
            self.wrote(out, True, depth)
        del self.vars[seen:]

    def branch(self, depth=1):
        p, end, other = self.predicate(), self.label(), self.label()
        two = self.r.chance(55)
        no = "!" if self.r.chance(50) else ""
        self.emit("@%s%s bra %s;" % (no, p, other if two else end))
        self.scoped(1 + self.r.below(5), depth)
        if two:
            self.emit("bra %s;" % end)
            self.text.append(other + ":")
            self.scoped(1 + self.r.below(5), depth)
        self.text.append(end + ":")

    def loop(self, inner=None):
        i, p, top = "r%d" % self.n_ints, "p%d" % self.n_preds, self.label()
        self.n_ints += 1
        self.n_preds += 1
        self.emit("mov.u32 %s, 0;" % i)
        pragma = self.r.chance(40)
        limit = self.r.pick(["n", "n", "2", "3", "5", "lim"])
        if limit == "lim":
            b = "r%d" % self.n_ints
            self.n_ints += 1
            self.emit("and.b32 %s, tid, 3;" % b)
            self.emit("add.u32 %s, %s, 1;" % (b, b))
            limit = b
        self.text.append(top + ":")
        if pragma:
            self.emit('.pragma "nounroll";')
        self.scoped(2 + self.r.below(5), 1, inner)
        self.emit("add.u32 %s, %s, 1;" % (i, i))
        self.emit("setp.lt.u32 %s, %s, %s;" % (p, i, limit))
        self.emit("@%s bra %s;" % (p, top))

    def guards(self):
        ps = [self.predicate() for _ in range(1 + self.r.below(2))]
        for _ in range(5 + self.r.below(6)):
            if self.r.chance(15):
                d = self.temp()
                self.emit("selp.%s %s, %s, %s, %s;" % (STORE[self.ty], d, self.read(), self.read(),
                                                       self.r.pick(ps)))
                self.wrote(d, None, 0)
                continue
            if self.r.chance(40):
                self.guard = "@%s%s " % ("!" if self.r.chance(40) else "", self.r.pick(ps))
            self.block(1, 0)
            self.guard = ""

    def body(self):
        r = self.r
        if self.shape == "line":
            return self.block(5 + r.below(10), 0)
        if self.shape == "shared":
            return self.shared(6 + r.below(8))
        self.block(1 + r.below(4), 0)
        if self.shape == "guard":
            self.guards()
        elif self.shape == "branch":
            self.branch()
        elif self.shape == "loop":
            self.loop()
        elif r.chance(50):
            self.loop(lambda: self.branch(2))
        else:
            self.branch()
            self.block(2, 0)
            self.loop()
        self.block(2 + r.below(4), 0)

    def make(self):
        self.body()
        body, self.text = self.text, []
        ty, mem = self.ty, STORE[self.ty]
        first = TYPES.index(ty) * N_INPUTS * 32 * 8
        outs = self.fresh[::-1] + [v for v in self.written[::-1] if v not in self.fresh]
        outs = outs[:N_OUTPUTS] or [self.vars[-1]]
        regs = ["x%d" % i for i in range(N_INPUTS)] + ["t%d" % i for i in range(self.n_temps)]
        self.emit(".reg .%s %s;" % (mem, ", ".join(regs)))
        self.emit(".reg .pred %s;" % ", ".join("p%d" % i for i in range(self.n_preds + 1)))
        self.emit(".reg .u32 tid, n, %s;" % ", ".join("r%d" % i for i in range(self.n_ints + 1)))
        self.emit(".reg .u64 in, out, at;")
        self.emit("ld.param.u64 in, [p_in];\n  ld.param.u64 out, [p_out];\n  ld.param.u32 n, [p_n];")
        self.emit("mov.u32 tid, %tid.x;\n  mul.wide.u32 at, tid, 64;\n  add.u64 out, out, at;")
        self.emit("mul.wide.u32 at, tid, 8;\n  add.u64 in, in, at;")
        for i in range(N_INPUTS):
            self.emit("ld.global.%s x%d, [in+%d];" % (mem, i, first + i * 256))
        self.text += body
        for k, v in enumerate(outs):
            self.emit("st.global.%s [out+%d], %s;" % (mem, 8 * k, v))
        self.emit("ret;")
        return "// %s %s\n.visible .entry %s(.param .u64 p_in, .param .u64 p_out, .param .u32 p_n) {\n%s\n}\n" % (
            ty, self.shape, self.name, "\n".join(self.text))


def main():
    seed, count, folder = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "in.bin"), "wb") as f:
        f.write(inputs())
    for m in range((count + PER_MODULE - 1) // PER_MODULE):
        with open(os.path.join(folder, "m%02d.ptx" % m), "w") as f:
            f.write(".version 8.0\n.target sm_90\n.address_size 64\n\n")
            for k in range(m * PER_MODULE, min(count, (m + 1) * PER_MODULE)):
                f.write(Kernel(Random(seed * 1000003 + k), "k%d" % k).make() + "\n")


if __name__ == "__main__":
    main()
