import { Command, Option } from "commander";
import type { GateResult } from "../replay/pause.ts";
import type { Door } from "./door.ts";
import { operator } from "./operator.ts";

const WORK = {
  confirm: {
    things: ["source", "sources"],
    paused: "No question is asked",
    resumed: "Questions are asked again",
  },
  publish: { things: ["topic", "topics"], paused: "No event is sent", resumed: "Events are sent again" },
} as const;

type Action = "pause" | "resume";

/** `pause` and `resume` are one command with two directions. */
export function gateCommand(door: Door, action: Action, description: string): Command {
  const command = new Command(action).description(description);
  const about = {
    confirm: `${action} asking the provider; callbacks are recorded all the same`,
    publish: `${action} sending to SNS; events are stored all the same`,
  };
  for (const work of ["confirm", "publish"] as const) {
    command.addCommand(
      new Command(work)
        .description(about[work])
        .addOption(new Option("--source <name>", "only this source; all when left out"))
        .action(async ({ source }: { source?: string }) => {
          const gate = await import("../replay/pause.ts");
          const names = await namesOf(door, work, source);
          const result = await door.withDatabase((db) =>
            gate[action]({ db, actor: operator(), work, names }),
          );
          if (result.unknown.length > 0) door.fault();
          door.show(result, () => render(action, result));
        }),
    );
  }
  return command;
}

/** A source's topics stand in the settings; a topic that two sources share is paused for both. */
async function namesOf(
  door: Door,
  work: "confirm" | "publish",
  source: string | undefined,
): Promise<readonly string[] | "all"> {
  if (source === undefined) return "all";
  if (work === "confirm") return [source];
  const { topicsOf } = await import("../app/topics-of.ts");
  return topicsOf(door.settings(), source);
}

function render(action: Action, { work, changed, unchanged, unknown }: GateResult): string {
  const { things, paused, resumed } = WORK[work];
  const lines: string[] = [];
  if (changed.length > 0)
    lines.push(
      action === "pause"
        ? `${paused} for: ${changed.join(", ")}. What is under way ends by itself. Go on with: invoice-relay resume ${work}`
        : `${resumed} for: ${changed.join(", ")}.`,
    );
  if (unchanged.length > 0)
    lines.push(
      `Nothing to do for: ${unchanged.join(", ")} (${action === "pause" ? "paused already" : "not paused"}).`,
    );
  if (unknown.length > 0)
    lines.push(
      `Unknown ${things[1]}: ${unknown.join(", ")}. invoice-relay serve makes a ${things[0]} known at its start.`,
    );
  return lines.length > 0
    ? lines.join("\n")
    : `There is no ${things[0]} yet: invoice-relay serve makes them known at its start. Nothing was changed.`;
}
