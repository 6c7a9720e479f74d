import { Command, InvalidArgumentError, Option } from "commander";
import { duration } from "../kit/setting-formats.ts";
import type { PausableWork, PauseResult } from "../operate/pause.ts";
import type { CommandContext } from "./command-context.ts";
import { operator } from "./operator.ts";
import { timeValue, withReason } from "./option-values.ts";

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

interface Options {
  source?: string;
  reason?: string;
  for?: Date;
  until?: Date;
}

/** Builds both `pause` and `resume`. */
export function pauseOrResumeCommand(context: CommandContext, action: Action, description: string): Command {
  const command = new Command(action).description(description);
  const about = {
    confirm: `${action} asking the provider${action === "pause" ? "; callbacks are still recorded" : ""}`,
    publish: `${action} sending to SNS${action === "pause" ? "; events are still stored" : ""}`,
  };
  for (const work of ["confirm", "publish"] as const) {
    const inner = new Command(work)
      .description(about[work])
      .addOption(new Option("--source <name>", "only this source; all by default"));
    withReason(inner);
    if (action === "pause")
      inner
        .option("--for <duration>", "resume automatically after this long, such as 30m or 2h", forValue)
        .addOption(
          new Option("--until <time>", "resume automatically at this time (UTC)")
            .argParser((text) => new Date(timeValue(text)))
            .conflicts("for"),
        );
    inner.action(async ({ source, reason, ...ends }: Options) => {
      const until = ends.for ?? ends.until;
      const pausing = await import("../operate/pause.ts");
      const names = await namesOf(context, work, source);
      const result = await context.withDatabase((db) =>
        pausing[action]({ db, actor: operator(), work, names, reason, until }),
      );
      if (result.unknown.length > 0) context.notFound();
      context.show(result, () => render(action, result, until));
    });
    command.addCommand(inner);
  }
  return command;
}

/** A duration from now. */
function forValue(text: string): Date {
  const afterMs = duration.safeParse(text);
  if (afterMs.success && afterMs.data > 0) return new Date(Date.now() + afterMs.data);
  throw new InvalidArgumentError("It should be a duration such as 30m or 2h.");
}

/** The settings name a source's topics; a topic that two sources share is paused for both. */
async function namesOf(
  context: CommandContext,
  work: PausableWork,
  source: string | undefined,
): Promise<readonly string[] | "all"> {
  if (source === undefined) return "all";
  if (work === "confirm") return [source];
  const { topicsOf } = await import("../app/upstreams.ts");
  return topicsOf(context.settings(), source);
}

function render(action: Action, result: PauseResult, until: Date | undefined): string {
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
