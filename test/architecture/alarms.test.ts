import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const SOURCES = join(import.meta.dirname, "../../src");

/** A statement that does nothing but raise or clear: in a transaction, or where the alarm is the change. */
const ALONE: Record<string, string> = {
  "alarms/alarms.ts":
    "what is quiet for long enough is over by that alone; `closeAlarms` takes a transaction",
  "operate/close-alarms.ts": "the settings of no process name what it is about any more",
  "reconcile/certified-days.ts": "in the transaction that proves the last day",
  "replay/replay-rows.ts": "in the transaction that fails the replay",
  "alarms/note-lasting.ts": "silence, and a wait that lasts, are no statements of their own",
};

it("alarms are written as a part of the statement that changes what they tell of (G13)", () => {
  const found = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .filter((file) =>
      /sql(<\w+>)?`\s*\$\{(raiseAlarms|raiseLasting|clearAlarms)\(/.test(
        readFileSync(join(SOURCES, file), "utf8"),
      ),
    );
  expect(found.sort()).toEqual(Object.keys(ALONE).sort());
});
