import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type Operation, operations } from "../../src/operations/index.ts";
import { ADMIN_TOKENS, type AdminApi, adminApi } from "../support/admin.ts";
import { runCli } from "../support/cli-process.ts";
import { addConfirmation, addEvents } from "../support/log-rows.ts";

const DAY = "2026-11-01";

interface Call {
  /** After `invoice-relay`. */
  words: string[];
  path?: string;
  body?: object;
  /** Where `--json` holds more or less around the same. */
  inJson?: (answer: never) => unknown;
}

const ofFilter = (words: string, filters: object): Call => ({
  words: [...words.split(" "), "--dry-run"],
  body: { filters, dryRun: true },
});
const days = { from: DAY, to: DAY };
const ofDay = (command: string): Call => ({ words: [command, "--from", DAY, "--to", DAY], body: days });

/** Each operation that is a command, over HTTP and on the command line. */
const CALLS: Record<string, (dead: string) => Call> = {
  readStatus: () => ({ words: ["status"] }),
  listAlarms: () => ({ words: ["alarms", "--all", "--limit", "5"], path: "?all=true&limit=5" }),
  listReplays: () => ({ words: ["replay", "list"] }),
  showReplay: () => ({ words: ["replay", "show", randomUUID()] }),
  listDead: () => ({ words: ["dead", "list", "--kind", "confirmation"], path: "?kind=confirmation" }),
  retryDead: (dead) => ({ words: ["dead", "retry", dead, "--dry-run"], body: { ids: [dead], dryRun: true } }),
  dismissDead: () => ofFilter("dead dismiss --all", {}),
  listQuarantine: () => ({ words: ["quarantine", "list"] }),
  releaseQuarantine: () => ofFilter("quarantine release --source default", { source: "default" }),
  dismissQuarantine: () => ofFilter("quarantine dismiss --all", {}),
  pause: () => ({ words: ["pause", "confirm"], body: { work: "confirm" } }),
  resume: () => ({ words: ["resume", "publish"], body: { work: "publish" } }),
  listInvoices: () => ({
    words: ["invoices", "--from", "2020-01-01", "--verdict", "paid"],
    path: "?from=2020-01-01&verdict=paid",
    inJson: ({ items }: { items: unknown }) => ({ invoices: items }),
  }),
  showInvoice: (dead) => ({ words: ["invoice", dead], path: dead }),
  eraseInvoice: (dead) => ({ words: ["erase", dead, "--dry-run"], path: dead, body: { dryRun: true } }),
  listCertificates: () => ({ words: ["certificate", "list", "--result", "equal"], path: "?result=equal" }),
  certify: () => ofDay("certify"),
  reconcile: () => ofDay("reconcile"),
  applyRetention: () => ({ words: ["retention"] }),
  readAuditLog: () => ({ words: ["audit", "--action", "pause"], path: "?action=pause" }),
};

const all = operations as unknown as readonly Operation[];

const send = (api: AdminApi, { method, path }: Operation, { path: given = "", body = {} }: Call) => {
  const id = given.startsWith("?") || given === "" ? randomUUID() : given;
  const query = given.startsWith("?") ? given : "";
  const url = path.replaceAll(/\{\w+\}/g, id) + query;
  return api.call(method.toUpperCase(), url, method === "post" ? body : undefined);
};

const MOMENTS = ["at", "seenAt", "before", "oldestSeconds", "unexplainedSeconds"].concat(
  ["Confirmation", "Event"].map((of) => `oldest${of}Seconds`),
);

/** Without what differs from one moment to the next. */
const settled = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (name, inner) => (MOMENTS.includes(name) ? undefined : inner));

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
    const api = await adminApi({ COLLECTION_IDS: "none" });
    const environment = api.harness.environment({ ADMIN_TOKENS, COLLECTION_IDS: "none" });
    const dead = await addConfirmation(api.harness, { state: "dead", verdict: "pending", attempt: 8 });
    await addEvents(api.harness, 1);
    const commands = all.filter(({ id }) => id in CALLS);
    expect(commands).toHaveLength(Object.keys(CALLS).length);
    for (const one of commands) {
      const { id, result } = one;
      const call = CALLS[id]?.(dead) ?? { words: [] };
      const { words, inJson = (answer: unknown) => answer } = call;
      // First at the terminal, then over HTTP: both see the same state but for what the first has paused.
      const said = await runCli([...words, "--json"], environment);
      const answer = await send(api, one, call);
      if (id === "pause") await api.call("POST", "/resume", { work: "confirm" });
      const printed = JSON.parse(said.stdout);
      if (answer.status !== 200) {
        expect([id, printed.error?.code], said.stdout).toEqual([id, answer.body.code ?? "usage"]);
        if (answer.status !== 404) expect(printed.error.message, id).toBe(answer.body.error);
        continue;
      }
      // Nothing but what the schema says.
      expect(settled(result.parse(answer.body)), id).toEqual(settled(answer.body));
      const { changed: _, unchanged: __, ...same } = settled(printed);
      const { changed: ___, unchanged: ____, ...expected } = settled(inJson(answer.body as never));
      expect(same, id).toEqual(expected);
    }
  });
});
