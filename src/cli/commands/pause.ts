import { Command, Option } from "commander";
import { upstreamOperations } from "../../operate/operations/upstreams.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandInput, operationCommand, type ResultOf } from "../operation-command.ts";
import { timeAfter } from "../option-values.ts";

const WORK = {
  confirm: {
    things: ["source", "sources"],
    paused: "Asking the provider is paused",
    resumed: "Asking the provider is resumed",
  },
  publish: {
    things: ["topic", "topics"],
    paused: "Sending to SNS is paused",
    resumed: "Sending to SNS is resumed",
  },
} as const;

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
  about: Record<keyof typeof WORK, string>,
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
        text: (result, { until }) =>
          render(action, result, until === undefined ? undefined : new Date(String(until))),
        judge: ({ unknown }) => unknown.length > 0 && context.notFound(),
      }),
    );
  return command;
}

function render(action: Action, result: ResultOf<"pause">, until: Date | undefined): string {
  const { work, changed, unchanged, unknown } = result;
  const { things, paused, resumed } = WORK[work];
  const ends = until === undefined ? "" : ` The pause ends automatically at ${until.toISOString()}.`;
  const lines: string[] = [];
  if (changed.length > 0)
    lines.push(
      action === "pause"
        ? `${paused} for: ${changed.join(", ")}. Requests in flight are finished.${ends} Resume` +
            `${until === undefined ? "" : " earlier"} with: invoice-relay resume ${work}`
        : `${resumed} for: ${changed.join(", ")}.`,
    );
  if (unchanged.length > 0)
    lines.push(
      `Nothing to do for: ${unchanged.join(", ")} ` +
        `(${action === "pause" ? "already paused" : "not paused or backing off"}).`,
    );
  if (unknown.length > 0)
    lines.push(
      `Unknown ${things[1]}: ${unknown.join(", ")}. invoice-relay serve makes a ${things[0]} known at ` +
        "its start.",
    );
  return lines.length > 0
    ? lines.join("\n")
    : `There is no ${things[0]} yet: invoice-relay serve makes them known at its start. Nothing was changed.`;
}
