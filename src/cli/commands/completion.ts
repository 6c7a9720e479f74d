import { Argument, Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { completionScript, SHELLS, type Shell } from "../completion-script.ts";

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
