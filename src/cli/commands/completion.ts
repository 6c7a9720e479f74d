import { Argument, Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { completionScript, SHELLS, type Shell } from "../completion-script.ts";

/** `invoice-relay completion bash`: what makes a shell complete commands and options with the Tab key. */
export function completionCommand(context: CommandContext): Command {
  const command = new Command("completion")
    .description("print what completes commands with the Tab key: source <(invoice-relay completion bash)")
    .addArgument(new Argument("<shell>", "the shell that reads it").choices(SHELLS));
  return command.action((shell: Shell) => {
    const program = command.parent ?? command;
    const script = completionScript(shell, program);
    context.show({ shell, script }, () => script);
  });
}
