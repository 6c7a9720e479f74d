import { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { DATABASE_OPTION, localWorldFor } from "../local-world.ts";

/** `invoice-relay demo` (`npm run demo`): one payment through every real part, and its timeline. */
export function demoCommand(context: CommandContext): Command {
  return new Command("demo")
    .description("pay one invoice through every real part on this machine, show its timeline, clean up")
    .option(...DATABASE_OPTION)
    .action(async ({ database }: { database?: string | true }) => {
      const stop = context.listenForStop();
      const given = localWorldFor(context, database, []);
      const { runDemo } = await import("../../app/demo.ts");
      const { meaningOf } = await import("../../operate/timeline-meaning.ts");
      const { renderTimeline } = await import("../render-timeline.ts");
      try {
        const { event, timeline } = await runDemo({
          environment: given.environment,
          database: given.database,
          log: await context.localLog(),
          tell: (step) => context.remark(step),
          signal: stop.signal,
        });
        const now = new Date();
        context.show({ event: JSON.parse(event), timeline, meaning: meaningOf(timeline, now) }, () =>
          ["", JSON.stringify(JSON.parse(event), null, 2), "", renderTimeline(timeline, now)].join("\n"),
        );
      } finally {
        stop.release();
      }
    });
}
