/* Every way a trace can be wrong, and what is said about it, to the letter. Each case is a sound
 * trace in which one text is replaced. */
#include "accel.h"

static const char sound[] = "-kernel name = k\n"                                   /* 1 */
                            "-kernel id = 1\n"                                     /* 2 */
                            "-grid dim = (2,1,1)\n"                                /* 3 */
                            "-block dim = (64,1,1)\n"                              /* 4 */
                            "-shmem = 0\n"                                         /* 5 */
                            "-nregs = 16\n"                                        /* 6 */
                            "-local mem base_addr = 0x20000000\n"                  /* 7 */
                            "-accelsim tracer version = 5\n"                       /* 8 */
                            "-enable lineinfo = 0\n"                               /* 9 */
                            "\n"                                                   /* 10 */
                            "#BEGIN_TB\n"                                          /* 11 */
                            "thread block = 0,0,0\n"                               /* 12 */
                            "warp = 0\n"                                           /* 13 */
                            "insts = 3\n"                                          /* 14 */
                            "0000 ffffffff 1 R2 MOV 1 R3 0 7\n"                    /* 15 */
                            "0010 00000007 1 R2 LDG.E 1 R2 4 0 0x10 0x20 0x38 0\n" /* 16 */
                            "0020 ffffffff 0 EXIT 0 0 0\n"                         /* 17 */
                            "warp = 1\n"                                           /* 18 */
                            "insts = 0\n"                                          /* 19 */
                            "#END_TB\n"                                            /* 20 */
                            "#BEGIN_TB\n"                                          /* 21 */
                            "thread block = 1,0,0\n"                               /* 22 */
                            "warp = 0\n"                                           /* 23 */
                            "insts = 2\n"                                          /* 24 */
                            "0030 0000000f 0 STG.E 2 R2 R4 4 2 0x100 4 -8 12 0\n"  /* 25 */
                            "0040 ffffffff 0 STL 2 R2 R4 4 1 0x20000010 0 0\n"     /* 26 */
                            "warp = 1\n"                                           /* 27 */
                            "insts = 0\n"                                          /* 28 */
                            "#END_TB\n";                                           /* 29 */

/* `from` is replaced by `to`; with `to` NULL the text is cut off before `from`. The message follows
 * the name of the file. */
static const struct bad {
  const char *from, *to, *message;
} cases[] = {
#include "errors.def"
};

static char *edit(const struct bad *x, size_t *n) {
  const char *at = strstr(sound, x->from);
  assert_non_null(at);
  size_t before = (size_t)(at - sound), from = strlen(x->from), to = x->to ? strlen(x->to) : 0;
  char *text = malloc(sizeof sound + to);
  assert_non_null(text);
  memcpy(text, sound, before);
  if (x->to) {
    memcpy(text + before, x->to, to);
    strcpy(text + before + to, at + from);
  } else {
    text[before] = 0;
  }
  *n = strlen(text);
  return text;
}

static void check(const char *name, const char *message) {
  uint64_t insts;
  char want[WEIR_ERR_TEXT];
  enum weir_status st = read_all(name, NULL, 0, &insts);
  snprintf(want, sizeof want, "%s%s", in_dir(name), message);
  assert_int_not_equal(st, WEIR_OK);
  assert_int_equal(st, err.code);
  assert_string_equal(err.msg, want);
}

static void sound_one(void **state) {
  (void)state;
  uint64_t insts;
  put_file("k.traceg", sound, strlen(sound));
  if (read_all("k.traceg", NULL, 0, &insts)) fail_msg("%s", err.msg);
  assert_int_equal(insts, 5);
}

static void kernels(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t n;
    char *text = edit(&cases[i], &n);
    put_file("k.traceg", text, n);
    free(text);
    check("k.traceg", cases[i].message);
  }
}

/* In an .xz file the place in the text is told as well. */
static void packed(void **state) {
  (void)state;
  static const struct bad x = {"0010 00000007", "0010 0000000g", NULL};
  uint8_t *xz;
  size_t n, n_text;
  char *text = edit(&x, &n_text);
  n = pack(text, n_text, &xz);
  put_file("k.traceg.xz", xz, n);
  char message[200];
  snprintf(message, sizeof message,
           ":16:6: '0000000g' is not a mask of at most 8 hexadecimal digits\n"
           "  at byte %zu of the unpacked text",
           (size_t)(strstr(text, "0000000g") - text));
  check("k.traceg.xz", message);
  free(xz);
  n = pack(sound, strlen(sound), &xz);
  put_file("k.traceg.xz", xz, n - 30);
  snprintf(message, sizeof message,
           ": the file ends in the middle of its xz data, at byte %zu (after line 29)", n - 30);
  check("k.traceg.xz", message);
  xz[40] ^= 0x55;
  put_file("k.traceg.xz", xz, n);
  assert_int_not_equal(read_all("k.traceg.xz", NULL, 0, &(uint64_t){0}), WEIR_OK);
  assert_non_null(strstr(err.msg, ": the xz data are damaged, at byte "));
  put_file("k.traceg.xz", sound, strlen(sound));
  check("k.traceg.xz", ": this is not an xz file");
  free(xz);
  free(text);
}

static void list_of(const char *text) {
  put_file("list.g", text, strlen(text));
}

static void lists(void **state) {
  (void)state;
  char want[WEIR_ERR_TEXT];
  uint64_t insts;
  list_of("# none\n\nkernel-9.traceg\n");
  assert_int_equal(read_all("list.g", NULL, 0, &insts), WEIR_ENOENT);
  snprintf(want, sizeof want, "%s:3: cannot open '%s': No such file or directory", in_dir("list.g"),
           in_dir("kernel-9.traceg"));
  assert_string_equal(err.msg, want);
  list_of("MemcpyDtoH,0x10,4\n");
  check("list.g", ":1:1: the command 'MemcpyDtoH' is not supported\n  MemcpyHtoD,ADDRESS,BYTES and "
                  "names of .traceg and .traceg.xz files are");
  list_of("\nkernel-1.trace.xz\n");
  check("list.g",
        ":2:1: the command 'kernel-1.trace.xz' is not supported\n  these are traces as the "
        "tracer leaves them: Accel-Sim's post-traces-processing makes .traceg files of "
        "them");
  list_of("kernel-1.tracez\n");
  check("list.g",
        ":1:1: the command 'kernel-1.tracez' is not supported\n  traces of Accel-Sim 2 are "
        "another format; .traceg and .traceg.xz are read");
  list_of("MemcpyHtoD,0x10\n");
  check("list.g", ":1:12: MemcpyHtoD needs an address and a number of bytes: '0x10'");
  list_of("MemcpyHtoD,0x1g,5\n");
  check("list.g", ":1:12: MemcpyHtoD needs an address and a number of bytes: '0x1g,5'");
  list_of("MemcpyHtoD,0x12345678123456789,5\n");
  check("list.g",
        ":1:12: MemcpyHtoD needs an address and a number of bytes: '0x12345678123456789,5'");
  assert_int_equal(read_all("absent.g", NULL, 0, &insts), WEIR_ENOENT);
  snprintf(want, sizeof want, "cannot open '%s': No such file or directory", in_dir("absent.g"));
  assert_string_equal(err.msg, want);
}

static void long_line(void **state) {
  (void)state;
  size_t n = 300 << 10;
  char *text = malloc(n);
  assert_non_null(text);
  memset(text, 'x', n);
  memcpy(text, "-kernel id = 1\n", 15);
  put_file("k.traceg", text, n);
  check("k.traceg", ":2: this line is longer than 262144 bytes: not an Accel-Sim trace");
  free(text);
}

/* All unknown opcodes at once, the most frequent first; naming a class for each is the remedy. */
static void opcodes(void **state) {
  (void)state;
  static const char head[] = "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"
                             "-accelsim tracer version = 5\n#BEGIN_TB\nthread block = 0,0,0\n"
                             "warp = 0\ninsts = 6\n";
  static const char body[] =
      "0000 ffffffff 1 R2 FOO.X 1 R3 0 0\n0010 ffffffff 0 BAZ 0 0 0\n"
      "0020 ffffffff 1 R2 LDG.E.ODD 1 R2 4 1 0x10 4 0\n"
      "0030 ffffffff 0 BAZ 1 R9 0 0\n0040 ffffffff 1 R2 QUX.64 1 R2 8 1 0x80 8 0\n"
      "0000 ffffffff 1 R2 FOO.X 1 R3 0 0\n#END_TB\n";
  static const char *const all[] = {"FOO=fp32", "BAZ=other", "LDG.E.ODD=load", "QUX=store"};
  static const char *const bad[] = {"FOO", "=int", "FOO=fp23"};
  char text[sizeof head + sizeof body];
  uint64_t insts;
  snprintf(text, sizeof text, "%s%s", head, body);
  put_file("k.traceg", text, strlen(text));
  check(
      "k.traceg",
      ": opcodes that are not known, with how often they occur: BAZ (2), FOO.X (2), LDG.E.ODD (1), "
      "QUX.64 (1)\n  remedy: --opcode-class BAZ=CLASS, and so on; the classes are int imax int64 "
      "imul imad idiv move pred cvt fp32 fmax fmul ffma fdiv fp64 dmax dmul dfma ddiv sfu load "
      "store atom branch barrier warp fence tensor tex other");
  assert_int_equal(read_all("k.traceg", all, 3, &insts), WEIR_EINVAL);
  assert_non_null(strstr(err.msg, "occur: QUX.64 (1)\n"));
  if (read_all("k.traceg", all, 4, &insts)) fail_msg("%s", err.msg);
  assert_int_equal(insts, 6);
  assert_int_equal(read_all("k.traceg", &bad[0], 1, &insts), WEIR_EINVAL);
  assert_string_equal(err.msg, "--opcode-class 'FOO' is not NAME=CLASS");
  assert_int_equal(read_all("k.traceg", &bad[1], 1, &insts), WEIR_EINVAL);
  assert_string_equal(err.msg, "--opcode-class '=int' is not NAME=CLASS");
  assert_int_equal(read_all("k.traceg", &bad[2], 1, &insts), WEIR_EINVAL);
  assert_string_equal(err.msg, "--opcode-class 'FOO=fp23': there is no instruction class 'fp23'\n"
                               "  did you mean 'fp32'?");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sound_one), cmocka_unit_test(kernels),   cmocka_unit_test(packed),
      cmocka_unit_test(lists),     cmocka_unit_test(long_line), cmocka_unit_test(opcodes),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
