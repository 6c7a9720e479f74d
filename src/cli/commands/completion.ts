import { Argument, Command } from "commander";
import type { CommandContext } from "../command-context.ts";

export function completionCommand(context: CommandContext): Command {
  const command = new Command("completion")
    .description("print a shell completion script: source <(invoice-relay completion bash)")
    .addArgument(new Argument("<shell>", "the shell to print it for").choices(SHELLS));
  return command.action((shell: Shell) => {
    const program = command.parent ?? command;
    const script = completionScript(shell, program);
    context.show({ shell, script }, () => script);
  });
}

interface Candidates {
  path: string;
  words: string[];
}

export const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

/** Every command and what may follow it, in help order. */
export function candidatesOf(program: Command, path: readonly string[] = []): Candidates[] {
  const help = program.createHelp();
  const commands = help.visibleCommands(program);
  const words = [
    ...commands.map((command) => command.name()),
    ...[...help.visibleOptions(program), ...help.visibleGlobalOptions(program)].flatMap((option) =>
      option.long === undefined || option.long === null ? [] : [option.long],
    ),
    ...program.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
  ];
  return [
    { path: path.join(" "), words: [...new Set(words)] },
    // Commander's built-in help command would list every command again.
    ...commands
      .filter((command) => command.name() !== "help")
      .flatMap((command) => candidatesOf(command, [...path, command.name()])),
  ];
}

/** The script that a shell sources. Names and options are our own plain words, so nothing needs quoting. */
export function completionScript(shell: Shell, program: Command): string {
  const candidates = candidatesOf(program);
  const name = program.name();
  if (shell === "fish") return fishScript(name, candidates);
  const cases = candidates.map(({ path, words }) => `    "${path}") echo "${words.join(" ")}" ;;`).join("\n");
  return `${HEAD[shell](name)}
_invoice_relay_candidates() {
  case "$1" in
${cases}
  esac
}
${BODY[shell](name)}`;
}

const HEAD = {
  bash: (name: string) => `# Completion of ${name} for bash: source <(${name} completion bash)`,
  zsh: (name: string) =>
    `#compdef ${name}\n# Completion of ${name} for zsh: source <(${name} completion zsh)`,
};

/**
 * Collects the words that name a command; options and their values are skipped. (No variable is named `path`:
 * zsh reserves it.)
 */
const COMMANDS_IN = (words: string) => `  local commands="" word
  for word in ${words}; do
    case "$word" in -*) continue ;; esac
    if [ -n "$(_invoice_relay_candidates "\${commands:+$commands }$word")" ]; then
      commands="\${commands:+$commands }$word"
    fi
  done`;

const BODY = {
  bash: (name: string) => `_invoice_relay() {
  local current="\${COMP_WORDS[COMP_CWORD]}"
${COMMANDS_IN(`"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`)}
  COMPREPLY=($(compgen -W "$(_invoice_relay_candidates "$commands")" -- "$current"))
}
complete -o default -F _invoice_relay ${name}`,
  zsh: (name: string) => `_invoice_relay() {
${COMMANDS_IN(`"\${(@)words[2,CURRENT-1]}"`)}
  compadd -- \${=$(_invoice_relay_candidates "$commands")} || _files
}
compdef _invoice_relay ${name}`,
};

function fishScript(name: string, candidates: readonly Candidates[]): string {
  const lines = candidates.map(({ path, words }) => {
    const seen = path === "" ? [] : path.split(" ").map((word) => `__fish_seen_subcommand_from ${word}`);
    const next = words.filter((word) => !word.startsWith("-"));
    const condition = [
      ...seen,
      ...(path === "" || next.length > 0 ? [`not __fish_seen_subcommand_from ${next.join(" ")}`] : []),
    ];
    return `complete -c ${name} -n '${condition.join("; and ")}' -a '${words.join(" ")}'`;
  });
  return `# Completion of ${name} for fish: ${name} completion fish | source
# Files only where one is meant.
complete -c ${name} -f
complete -c ${name} -l settings -rF
${lines.join("\n")}`;
}
