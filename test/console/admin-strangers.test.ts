import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { operations } from "../../src/operate/operations/list.ts";
import { adminApi } from "../support/admin.ts";
import { anyText } from "../support/any-text.ts";
import { addEvents } from "../support/log-rows.ts";

describe("odd input to the admin API", () => {
  it("is 400 where Postgres could not take it, and says where it stands", async () => {
    const { call } = await adminApi();
    const odd: [method: string, path: string, body?: unknown][] = [
      ["GET", "/dead-letters?source=%00"],
      ["GET", "/dead-letters?collection=a%00b"],
      ["GET", "/invoices/%00"],
      ["GET", "/invoices/%ff"],
      ["GET", "/audit?before=99999999999999999999"],
      ["GET", "/dead-letters?from=0000-01-01T00:00:00Z"],
      ["POST", "/dead-letters/retry", { filters: { source: "a\0b" } }],
      ["POST", "/replays", { kind: "events", filters: { source: "a\0b" } }],
      ["POST", "/replays", { kind: "confirmations", filters: { collection: "\0" }, dryRun: true }],
      ["POST", "/replays", { kind: "callbacks", filters: { from: "0000-01-01T00:00:00Z" } }],
      ["GET", "/dead-letters?from=0001-01-01T00:00%2B14:00"],
      ["GET", "/dead-letters?to=9999-12-31T23:59-00:01"],
      ["GET", "/audit?limit=0x10"],
      ["GET", "/reports/payments?from=2026-10-01&to=2026-10-02&collection=%00"],
      ["GET", "/certificates/calendar?from=2025-01-01&to=2026-10-02"],
      ["POST", "/alarms/note", { alarms: [{ name: "invoice_anomaly" }], note: "a\0b" }],
      ["POST", "/alarms/close", { alarms: [{ name: "silent_process", subject: "\ud800" }] }],
      ["POST", "/pause", { work: "confirm", reason: "half an \ud83d" }],
    ];
    for (const [method, path, body] of odd)
      expect(await call(method, path, body), `${path} ${JSON.stringify(body)}`).toMatchObject({
        status: 400,
        body: { error: expect.not.stringMatching(/^The database/) },
      });
  });

  it("of any kind, at any operation, is never a fault of ours", async () => {
    const { call } = await adminApi();
    const text = fc.oneof(anyText({ maxLength: 20 }), fc.constantFrom("\0", "%", "\ud800", ""));
    const value = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }));
    const safe = operations.filter(({ id }) => !["certify", "reconcile"].includes(id));
    const fields = "kind filters source collection from to limit ids target dryRun work".split(" ");
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...safe),
        text,
        fc.dictionary(fc.constantFrom(...fields), value, { maxKeys: 4 }),
        async ({ method, path }, id, given) => {
          const target = path.replaceAll(/\{\w+\}/g, encodeURIComponent(id.toWellFormed()) || "x");
          const query = new URLSearchParams(
            Object.entries(given).map(([name, one]): [string, string] => [
              name,
              typeof one === "string" ? one : JSON.stringify(one),
            ]),
          );
          const answer =
            method === "get"
              ? await call("GET", `${target}?${query}`)
              : await call("POST", target, { ...given, dryRun: true });
          expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500);
        },
      ),
      // As many as a crowded machine does meanwhile: what counts is that none fails.
      { numRuns: 150, interruptAfterTimeLimit: 20_000 },
    );
  });
});

describe("a replay to another topic over the admin API", () => {
  it("goes to one of REPLAY_TOPIC_ARNS, and nowhere else", async () => {
    const other = "arn:aws:sns:us-east-1:000000000000:somebody-elses";
    const mine = "arn:aws:sns:us-east-1:000000000000:warehouse";
    const { harness, call } = await adminApi({ REPLAY_TOPIC_ARNS: mine });
    await addEvents(harness, 1);
    const start = (topicArn: string, dryRun = false) =>
      call("POST", "/replays", { kind: "events", target: { kind: "other_topic", topicArn }, dryRun });
    for (const dryRun of [true, false])
      expect(await start(other, dryRun)).toMatchObject({
        status: 409,
        body: { error: `${other} is not in REPLAY_TOPIC_ARNS. Add it there, or choose one of them.` },
      });
    expect(await harness.query("select from replay")).toEqual([]);
    expect((await start(mine)).status).toBe(200);
  });

  it("is not resumed once its topic is on the list no more, and may be cancelled", async () => {
    const { harness, call } = await adminApi();
    const topicArn = "arn:aws:sns:us-east-1:000000000000:warehouse";
    const id = randomUUID();
    await harness.query(
      `insert into replay (id, kind, state, filters, target, rate, matching, requested_by, requested_at, finished_at)
       values ($1, 'events', 'failed', '{}', $2, 1, 1, 'cli:x', now(), now())`,
      [id, { kind: "other_topic", topicArn }],
    );
    const change = (verb: string) => call("POST", `/replays/${id}/${verb}`, {});
    expect(await change("resume")).toMatchObject({
      status: 409,
      body: { error: `${topicArn} is not in REPLAY_TOPIC_ARNS. Add it there, or choose one of them.` },
    });
    expect(await harness.query("select state from replay")).toEqual([{ state: "failed" }]);
    expect((await change("cancel")).status).toBe(200);
  });

  it("goes nowhere when none is set", async () => {
    const { call } = await adminApi();
    const target = { kind: "other_topic", topicArn: "arn:aws:sns:us-east-1:000000000000:any" };
    const answer = await call("POST", "/replays", { kind: "events", target });
    expect(answer.status).toBe(409);
  });
});
