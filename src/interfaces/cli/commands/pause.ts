import { Command, Option } from "commander";
import { upstreamOperations } from "../../../operations/index.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandInput, operationCommand } from "../operation-command.ts";
import { timeAfter } from "../option-values.ts";

type Action = "pause" | "resume";

export const pauseCommand = (context: CommandContext): Command =>
  makeCommand(context, "pause", "stop asking the provider, or sending to SNS, during an incident", {
    confirm: "pause asking the provider; callbacks are still recorded",
    publish: "pause sending to SNS; events are still stored",
  });

export const resumeCommand = (context: CommandContext): Command =>
  makeCommand(context, "resume", "resume asking or sending at once, after a pause, a refusal or a fault", {
    confirm: "resume asking the provider",
    publish: "resume sending to SNS",
  });

function makeCommand(
  context: CommandContext,
  action: Action,
  description: string,
  about: Record<"confirm" | "publish", string>,
): Command {
  const command = new Command(action).description(description);
  for (const work of ["confirm", "publish"] as const)
    command.addCommand(
      operationCommand(context, upstreamOperations, action, {
        name: work,
        description: about[work],
        without: ["work"],
        extend: (inner) =>
          action === "resume"
            ? inner
            : inner.addOption(
                new Option("--for <duration>", "resume automatically after this long, such as 30m or 2h")
                  .argParser(timeAfter)
                  .conflicts("until"),
              ),
        input: ({ for: end, until, ...given }: CommandInput) => ({ ...given, work, until: end ?? until }),
        judge: ({ unknown }) => unknown.length > 0 && context.notFound(),
      }),
    );
  return command;
}
