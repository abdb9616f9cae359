#include "stream/stray.h"

#include "base/demangle.h"

void weir_stray_text(const struct weir_stray *s, const char *program, struct weir_text *out) {
  char name[WEIR_DEMANGLED], n[32];
  weir_text_printf(out, "  %s%s%s, %s\n", program != NULL ? program : "",
                   program != NULL ? ": " : "", s->access, s->near);
  weir_text_printf(out, "    kernel %s, block (%u,%u,%u), thread (%u,%u,%u)\n",
                   weir_demangle(s->kernel, name, sizeof name), s->block[0], s->block[1],
                   s->block[2], s->thread[0], s->thread[1], s->thread[2]);
  weir_text_printf(out, "    instruction: %s  (%s%s%s)\n", s->instruction, s->position,
                   s->source[0] ? ", source " : "", s->source);
  if (s->count > 1)
    weir_text_printf(out, "    %s such accesses\n", weir_text_thousands(s->count, n));
}
