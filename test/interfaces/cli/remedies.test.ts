import { expect, expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type { operations } from "../../../src/operations/list/list.ts";
import { ALARM_NAMES, ALARMS, remedyOf } from "../../../src/platform/alarms/alarm-definitions.ts";
import { commandLine, type Remedy, type RemedyInputs } from "../../../src/platform/errors/remedy.ts";
import { SOME_ID as id } from "../../../src/platform/values/ids.ts";
import { parseCommand, Read } from "../../support/parse-command.ts";

type Operations = (typeof operations)[number];
type Part<Key extends string, Operation> =
  Operation extends Record<Key, infer Schema extends z.ZodType> ? z.input<Schema> : unknown;
type Input<Operation> = Part<"pathParameters", Operation> &
  Part<"query", Operation> &
  Part<"body", Operation>;
/** At a terminal only. */
type CommandOnly = "doctor" | "migrate" | "serve";
/** A day is asked for where it is done. */
type Asking = "reconcile";
type Misfit = {
  [Id in Exclude<keyof RemedyInputs, CommandOnly | Asking>]: Id extends Operations["id"]
    ? RemedyInputs[Id] extends Input<Extract<Operations, { id: Id }>>
      ? never
      : Id
    : Id;
}[Exclude<keyof RemedyInputs, CommandOnly | Asking>];

const none = {};
const SAMPLES: { [Id in keyof RemedyInputs]: readonly RemedyInputs[Id][] } = {
  showInvoice: [{ id }],
  showCallback: [{ id }],
  listCallbacks: [none],
  showReplay: [{ id }],
  listReplays: [none],
  resumeReplay: [{ id }],
  cancelReplay: [{ id }],
  startReplay: [
    { kind: "confirmations", filters: { invoiceIds: [id] } },
    { kind: "callbacks", filters: { refused: true } },
  ],
  showCertificate: [{ id }],
  listCertificates: [none],
  listDead: [none],
  retryDead: [{ ids: [id] }, { ids: [id], source: "default" }],
  listQuarantine: [none],
  releaseQuarantine: [{ ids: [id] }],
  listAlarms: [{ name: "topic_paused" }],
  testAlarms: [none],
  resume: [{ work: "publish" }, { work: "confirm", source: "default" }],
  reconcile: [none],
  doctor: [none],
  migrate: [none],
  serve: [none],
};

it("a remedy names an operation and gives it what it takes, or it does not compile", () => {
  expectTypeOf<Misfit>().toEqualTypeOf<never>();
});

const samples = Object.entries(SAMPLES).flatMap(([operation, given]) =>
  given.map((args) => ({ operation, args }) as Remedy),
);
const ofAlarms = ALARM_NAMES.flatMap((name) =>
  [
    remedyOf(name, { source: "default", subject: id }),
    remedyOf(name, { source: "", subject: id }),
    remedyOf(name, null),
  ]
    .filter((remedy) => remedy !== null)
    .map((remedy) => remedy),
);

it("each command that a remedy prints is one that the program reads", async () => {
  const lines = [...new Set([...samples, ...ofAlarms].map(commandLine))];
  expect(lines.length).toBeGreaterThan(30);
  for (const line of lines) expect(await parseCommand(line), line).toBeInstanceOf(Read);
});

it("no command stands in what an alarm says to do: it is data", () => {
  const said = ALARM_NAMES.filter((name) => /invoice-relay|`/.test(ALARMS[name].action));
  expect(said).toEqual([]);
});
