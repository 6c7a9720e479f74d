import { Command } from "commander";
import type { Door } from "../door.ts";

/** `invoice-relay demo` (`npm run demo`): one payment through every real part, and its timeline. */
export function demoCommand(door: Door): Command {
  return new Command("demo")
    .description("pay one invoice through every real part on this machine, show its timeline, clean up")
    .action(async () => {
      const { runDemo } = await import("../../app/demo.ts");
      const { meaningOf } = await import("../../console/timeline-meaning.ts");
      const { renderTimeline } = await import("../render-timeline.ts");
      const stop = door.listenForStop();
      try {
        const { event, timeline } = await runDemo({
          environment: door.environment,
          log: await door.localLog(),
          tell: (step) => door.remark(step),
          signal: stop.signal,
        });
        const now = new Date();
        door.show({ event: JSON.parse(event), timeline, meaning: meaningOf(timeline, now) }, () =>
          ["", JSON.stringify(JSON.parse(event), null, 2), "", renderTimeline(timeline, now)].join("\n"),
        );
      } finally {
        stop.release();
      }
    });
}
