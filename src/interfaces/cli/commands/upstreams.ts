import { Command } from "commander";
import { z } from "zod";
import { alarmOperations, name, readValue, upstreamOperations } from "../../../operations/index.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandInput, operationCommand } from "../operation-command.ts";

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
        input: (given: CommandInput) => ({ ...given, work }),
        check: ({ unknown }) => unknown.length > 0 && context.notFound(),
      }),
    );
  return command;
}

export const alarmsCommand = (context: CommandContext): Command =>
  operationCommand(context, alarmOperations, "listAlarms", {
    name: "alarms",
  })
    .addCommand(operationCommand(context, alarmOperations, "testAlarms", { name: "test" }))
    .addCommand(closeAlarms(context));

const which = z.object({ source: name().optional(), subject: name(1_000).optional() });

const closeAlarms = (context: CommandContext): Command =>
  operationCommand(context, alarmOperations, "closeAlarms", {
    name: "close",
    without: ["alarms"],
    extend: (made) =>
      made
        .argument("<alarm>", "its name, such as pause_standing")
        .option("--source <name>", "only this source's")
        .option("--subject <name>", "only the one about this, as alarms lists it"),
    input: ({ source, subject, ...given }, [alarm]) => ({
      ...given,
      alarms: [{ name: alarm, ...readValue(which, { source, subject }) }],
    }),
    check: ({ count }) => count === 0 && context.notFound(),
  });
