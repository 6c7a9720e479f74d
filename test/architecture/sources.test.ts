import { expect, it } from "vitest";
import { FAILPOINTS } from "../../lab/crash/failpoints.ts";
import { filesWith, sources } from "./sources.ts";

/** A statement that does nothing but raise or clear: in a transaction, or where the alarm is the change. */
const ALONE: Record<string, string> = {
  "platform/alarms/alarms.ts":
    "what is quiet for long enough is over by that alone; `closeAlarms` takes a transaction; silence, and a wait that lasts, are no statements of their own",
  "operations/close-alarms.ts": "the settings of no process name what it is about any more",
  "pipeline/reconcile/certified-days.ts": "in the transaction that proves the last day",
  "pipeline/replay/replay-rows.ts": "in the transaction that fails the replay",
};

it("alarms are written as a part of the statement that changes what they tell of (G13)", () => {
  const found = filesWith(/sql(<\w+>)?`\s*\$\{(raiseAlarms|raiseLasting|clearAlarms)\(/);
  expect(found).toEqual(Object.keys(ALONE).sort());
});

it("every failpoint in the program is in the matrix, and has a unique name", () => {
  const named = sources.flatMap(({ text }) =>
    [...text.matchAll(/\bfailpoint\("([^"]+)"\)/g)].map(([, name]) => name),
  );
  expect(named.toSorted()).toEqual(FAILPOINTS.map(({ name }) => name).toSorted());
});

it("an id that came from outside is checked as any UUID: z.uuid() refuses some that Postgres and providers take", () => {
  // An event's id is a UUIDv5 of ours.
  expect(filesWith(/\bz\.uuid\(|\.uuid\(\)/)).toEqual(["events/invoice-paid.ts"]);
});
