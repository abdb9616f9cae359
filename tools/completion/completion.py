#!/usr/bin/env python3
"""Writes completion for shells from what the program says about itself.

completion.py PROGRAM bash|zsh|fish       prints one
completion.py PROGRAM all BASH ZSH FISH   writes three files

Commands and options come from the help texts; names of workloads, machines and the like are asked of the program when
they are completed, so that what a user adds is there, too.
"""
import pathlib
import re
import subprocess
import sys

# What the value of an option is, by the name of the option; others are files where their value's name says so.
VALUES = {"gpu": "gpus", "gpus": "gpus", "scheme": "schemes", "schemes": "schemes", "workloads": "workloads",
          "set": "params", "policies": "policies", "organisation": "policies"}
INPUTS = "eval profile test bench"
# What the words after a command are: kinds of `weir list`, or words themselves.
WORDS = {"run": "workloads", "compare": "workloads", "sweep": "workloads", "worker": "workloads", "record": "workloads",
         "characterize": "workloads", "classify": "workloads", "advise": "workloads", "reproduce": "papers", "explain": "params"}
FILE_NAMES = r"FILE|FOLDER|STORE|\.db|\.so|\.csv|\.json|\.html|\.svg|PATH"


def say(*arguments):
    return subprocess.run([sys.argv[1], *arguments], check=True, capture_output=True, text=True).stdout


def commands():
    """[(name, about, [(option, letter, value, about)])]"""
    listed = say("--help").partition("Commands:\n")[2].partition("\n\n")[0]
    found = []
    for name, about in re.findall(r"^  ([\w-]+)  +(.*)$", listed, flags=re.M):
        rows = re.findall(r"^  (?:-(\w), |    )--([\w-]+)(?: (\S+))?(?:  +(.*))?$", say("help", name), flags=re.M)
        found.append((name, about, [(option, letter, value, text) for letter, option, value, text in rows]))
    return found


def kinds():
    return re.search(r"weir list ([\w|]+)", say("help", "list"))[1].split("|")


def value_of(option, value):
    """'' (it takes none), 'kind:NAME', 'words:A B', 'file' or 'any'."""
    if not value:
        return ""
    if option in VALUES:
        return "kind:" + VALUES[option]
    if option == "input":
        return "words:" + INPUTS
    return "file" if re.search(FILE_NAMES, value) else "any"


def words_of(command, names):
    if command == "help":
        return "words:" + " ".join(names + ["gpu", "scheme", "policy"])
    if command == "list":
        return "words:" + " ".join(kinds())
    return "kind:" + WORDS[command] if command in WORDS else "file"


BASH_HEAD = r'''# Completion of weir for bash; written by tools/completion/completion.py.
_weir_names() { "${COMP_WORDS[0]}" list "$1" --names 2>/dev/null; }

# What can stand for $2, which is of the kind $1; of a list, its last name.
_weir_value() {
  local kind=$1 word=$2 before=""
  case $kind in
    kind:*)
      if [[ $word == *,* ]]; then before=${word%,*},; fi
      COMPREPLY=($(compgen -P "$before" -W "$(_weir_names "${kind#kind:}")" -- "${word##*,}"))
      if [[ $kind == kind:params ]]; then
        COMPREPLY=("${COMPREPLY[@]/%/=}")
        compopt -o nospace 2>/dev/null
      elif [[ $kind == kind:workloads ]]; then
        COMPREPLY+=($(compgen -f -X '!*.yaml' -- "$word") $(compgen -f -X '!*.wtrace' -- "$word"))
      fi ;;
    words:*) COMPREPLY=($(compgen -W "${kind#words:}" -- "$word")) ;;
    file) compopt -o default 2>/dev/null ;;
    *) COMPREPLY=() ;;
  esac
}

_weir() {
  local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} i
  COMPREPLY=()
'''


def bash(all_of):
    names = [c[0] for c in all_of]
    out = [BASH_HEAD, f'  if [[ $COMP_CWORD -eq 1 ]]; then\n    COMPREPLY=($(compgen -W "{" ".join(names)} --color --help --version" -- "$word"))\n'
           "    return\n  fi\n",
           "  for ((i = 2; i < COMP_CWORD; i++)); do\n    if [[ ${COMP_WORDS[i]} == -- ]]; then compopt -o default 2>/dev/null; return; fi\n"
           "  done\n", "  case $command in\n"]
    for name, _, options in all_of:
        out.append(f"    {name})\n      case $last in\n")
        by_value = {}
        for option, letter, value, _ in options:
            kind = value_of(option, value)
            if kind:
                by_value.setdefault(kind, []).append("--" + option + (f"|-{letter}" if letter else ""))
        for kind, spelt in by_value.items():
            out.append(f"        {'|'.join(spelt)}) _weir_value '{kind}' \"$word\"; return ;;\n")
        flags = " ".join("--" + o for o, *_ in options)
        out.append(f"      esac\n      if [[ $word == -* ]]; then COMPREPLY=($(compgen -W \"{flags}\" -- \"$word\"))\n"
                   f"      else _weir_value '{words_of(name, names)}' \"$word\"; fi ;;\n")
    out.append("  esac\n}\ncomplete -F _weir weir\n")
    return "".join(out)


def zsh(all_of):
    """zsh understands bash's form."""
    return ("#compdef weir\n# Completion of weir for zsh; written by tools/completion/completion.py.\nautoload -U +X bashcompinit && bashcompinit\n" +
            bash(all_of).split("\n", 1)[1])


def fish_value(kind):
    if kind.startswith("kind:"):
        suffix = ' | string replace -r "\\$" "="' if kind == "kind:params" else ""
        return f" -x -a '(weir list {kind[5:]} --names 2>/dev/null{suffix})'"
    if kind.startswith("words:"):
        return f" -x -a '{kind[6:]}'"
    return " -r -F" if kind == "file" else " -x"


def fish(all_of):
    names = [c[0] for c in all_of]
    out = ["# Completion of weir for fish; written by tools/completion/completion.py.\ncomplete -c weir -f\n"]
    quoted = lambda text: "'" + (text or "").replace("\\", "\\\\").replace("'", "\\'") + "'"
    for name, about, options in all_of:
        out.append(f"complete -c weir -n __fish_use_subcommand -a {name} -d {quoted(about)}\n")
        here = f"complete -c weir -n '__fish_seen_subcommand_from {name}'"
        words = words_of(name, names)
        out.append(here + (" -F" if words == "file" else fish_value(words).replace(" -x", "", 1)) + "\n")
        for option, letter, value, text in options:
            kind = value_of(option, value)
            out.append(f"{here} -l {option}{f' -s {letter}' if letter else ''}{fish_value(kind) if kind else ''} -d {quoted(text)}\n")
    return "".join(out)


def main():
    shells = {"bash": bash, "zsh": zsh, "fish": fish}
    if len(sys.argv) == 6 and sys.argv[2] == "all":
        all_of = commands()
        for write, path in zip(shells.values(), sys.argv[3:]):
            pathlib.Path(path).write_text(write(all_of), encoding="utf-8")
    elif len(sys.argv) == 3 and sys.argv[2] in shells:
        sys.stdout.write(shells[sys.argv[2]](commands()))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
