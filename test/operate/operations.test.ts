import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { CallInput, OperationAt } from "../../src/api/calls.ts";
import { operations } from "../../src/operate/operations/list.ts";
import { type Operation, operationsAbout } from "../../src/operate/operations/operation.ts";
import { ADMIN_TOKENS, type AdminApi, adminApi } from "../support/admin.ts";
import { runCli } from "../support/cli-process.ts";
import { addConfirmation, addEvents } from "../support/log-rows.ts";

const DAY = "2026-11-01";
const LATER = "2126-11-01";

interface Call {
  /** After `invoice-relay`. */
  words: string[];
  path?: string;
  body?: object;
  /** Where `--json` holds more or less around the same. */
  inJson?: (answer: never) => unknown;
}

/** Each operation that is a command, over HTTP and on the command line. */
const CALLS: Record<string, (ids: { dead: string; event: string }) => Call> = {
  readStatus: () => ({ words: ["status"] }),
  listAlarms: () => ({ words: ["alarms", "--all", "--limit", "5"], path: "?all=true&limit=5" }),
  listReplays: () => ({ words: ["replay", "list"] }),
  showReplay: () => ({ words: ["replay", "show", randomUUID()] }),
  listDead: () => ({ words: ["dead", "list", "--kind", "confirmation"], path: "?kind=confirmation" }),
  showDead: ({ dead }) => ({ words: ["dead", "show", dead], path: dead }),
  retryDead: ({ dead }) => ({
    words: ["dead", "retry", dead, "--dry-run"],
    body: { ids: [dead], dryRun: true },
  }),
  dismissDead: () => ({
    words: ["dead", "dismiss", "--all", "--dry-run"],
    body: { filters: {}, dryRun: true },
  }),
  listQuarantine: () => ({ words: ["quarantine", "list"] }),
  showQuarantine: () => ({ words: ["quarantine", "show", randomUUID()] }),
  releaseQuarantine: () => ({
    words: ["quarantine", "release", "--source", "default", "--dry-run"],
    body: { filters: { source: "default" }, dryRun: true },
  }),
  dismissQuarantine: () => ({
    words: ["quarantine", "dismiss", "--all", "--dry-run"],
    body: { filters: {}, dryRun: true },
  }),
  pause: () => ({ words: ["pause", "confirm"], body: { work: "confirm" } }),
  resume: () => ({ words: ["resume", "publish"], body: { work: "publish" } }),
  listInvoices: () => ({
    words: ["invoices", "--from", "2020-01-01", "--verdict", "paid"],
    path: "?from=2020-01-01&verdict=paid",
    inJson: ({ items }: { items: unknown }) => ({ invoices: items, waiting: [] }),
  }),
  showInvoice: ({ dead }) => ({ words: ["invoice", dead], path: dead }),
  eraseInvoice: ({ dead }) => ({ words: ["erase", dead, "--dry-run"], path: dead, body: { dryRun: true } }),
  listCertificates: () => ({
    words: ["certificate", "list", "--result", "equal"],
    path: "?result=equal",
  }),
  certify: () => ({ words: ["certify", "--from", DAY, "--to", DAY], body: { from: DAY, to: DAY } }),
  reconcile: () => ({ words: ["reconcile", "--from", DAY, "--to", DAY], body: { from: DAY, to: DAY } }),
  applyRetention: () => ({ words: ["retention", "--dry-run"], body: { dryRun: true } }),
  readAuditLog: () => ({ words: ["audit", "--action", "pause"], path: "?action=pause" }),
};

const all = operations as unknown as readonly Operation[];
const operationOf = (id: string): Operation => {
  const found = all.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no operation ${id}`);
  return found;
};

function urlOf({ path }: Operation, given = ""): string {
  return given.startsWith("?") || given === ""
    ? path.replaceAll(/\{\w+\}/g, randomUUID()) + given
    : path.replaceAll(/\{\w+\}/g, given);
}

const send = async (api: AdminApi, id: string, given = "", body?: object) => {
  const one = operationOf(id);
  return await api.call(
    one.method.toUpperCase(),
    urlOf(one, given),
    one.method === "post" ? (body ?? {}) : undefined,
  );
};

const MOMENTS = ["at", "seenAt", "before", "oldestSeconds", "unexplainedSeconds"].concat(
  ["Confirmation", "Event"].map((of) => `oldest${of}Seconds`),
);

/** Without what differs from one moment to the next. */
const settled = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (name, inner) => (MOMENTS.includes(name) ? undefined : inner));

async function withRows() {
  const api = await adminApi({ COLLECTION_IDS: "none" });
  const environment = api.harness.environment({ ADMIN_TOKENS, COLLECTION_IDS: "none" });
  const dead = await addConfirmation(api.harness, { state: "dead", verdict: "pending", attempt: 8 });
  const [event] = await addEvents(api.harness, 1);
  return { api, environment, ids: { dead, event: String(event) } };
}

describe("the list of operations", () => {
  it("names each once, with a sentence and an example that the operation accepts", () => {
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    for (const { id, summary, example = {}, pathParameters, query, body } of all) {
      expect(summary, id).toMatch(/^[A-Z].{15,}[^.]$/);
      for (const [schema, given] of [
        [pathParameters, example.path],
        [query, example.query ?? {}],
        [body, example.body],
      ] as const)
        expect(schema?.safeParse(given).error, id).toBeUndefined();
    }
  });

  it("gives the same over HTTP and on the command line, and what its schema says", async () => {
    const { api, environment, ids } = await withRows();
    for (const [id, callOf] of Object.entries(CALLS)) {
      const { words, path, body, inJson = (answer: unknown) => answer } = callOf(ids);
      // First at the terminal, then over HTTP: both see the same state but for what the first has paused.
      const said = await runCli([...words, "--json"], environment);
      const answer = await send(api, id, path, body);
      if (id === "pause") await api.call("POST", "/resume", { work: "confirm" });
      const printed = JSON.parse(said.stdout);
      if (answer.status !== 200) {
        expect([id, printed.error?.code], said.stdout).toEqual([id, answer.body.code ?? "usage"]);
        if (answer.status !== 404) expect(printed.error.message, id).toBe(answer.body.error);
        continue;
      }
      expect(operationOf(id).result.safeParse(answer.body).error, id).toBeUndefined();
      // Nothing but what the schema says.
      expect(settled(operationOf(id).result.parse(answer.body)), id).toEqual(settled(answer.body));
      const { changed: _, unchanged: __, ...same } = settled(printed);
      const { changed: ___, unchanged: ____, ...expected } = settled(inJson(answer.body as never));
      expect(same, id).toEqual(expected);
    }
  });

  // The words: test/cli/golden/refusals.txt.
  it.each<[id: string, words: string[], path: string, body?: object]>([
    ["listDead", ["dead", "list", "--limit", "many"], "?limit=many"],
    ["showDead", ["dead", "show", "42"], "42"],
    ["pause", ["pause", "confirm", "--until", "2020-01-01"], "", { work: "confirm", until: "2020-01-01" }],
    [
      "reconcile",
      ["reconcile", ...`--from ${LATER} --to ${LATER}`.split(" ")],
      "",
      { from: LATER, to: LATER },
    ],
    ["retryDead", ["dead", "retry", "abc"], "", { ids: ["abc"] }],
  ])("%s refuses what cannot be meant in the same words: %j", async (id, words, path, body) => {
    const { api, environment } = await withRows();
    const answer = await send(api, id, path, body);
    expect(answer).toMatchObject({ status: 400, body: { code: "usage" } });
    const said = await runCli([...words, "--json"], environment);
    // A field is named as it was typed.
    const flag = words.find((word) => word.startsWith("--"));
    const message =
      flag === undefined || body !== undefined
        ? answer.body.error
        : answer.body.error.replace(/^[a-z]\w*/, flag);
    expect({ code: said.code, ...JSON.parse(said.stdout) }).toEqual({
      code: 2,
      error: { code: "usage", message },
    });
  });

  it("fails tsc where a function does not return its result, or a call holds a field that is not there", () => {
    operationsAbout("Test").get("count", "/count", {
      summary: "Count",
      result: z.object({ count: z.number() }),
      // @ts-expect-error: it says so in `count`.
      run: async () => ({ counted: 1 }),
    });
    const call = {
      // @ts-expect-error: a pause has `work`, no `job`.
      body: { job: "confirm" },
    } satisfies CallInput<OperationAt<"post", "/pause">>;
    expect(call.body).toBeDefined();
  });
});
