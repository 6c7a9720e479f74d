import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it, vi } from "vitest";
import { type Harness, startHarness, startRelay } from "../support/relay.ts";
import { invoiceAnswer, NOT_FOUND } from "../support/scripted-provider.ts";
import { LISTS, listOfAWaits, TOKENS, twoSources } from "../support/two-sources.ts";

const idIn = ({ url }: IncomingMessage) => url?.split("/").at(-1) ?? "";

/** Answers with this script, or that the invoice is paid. */
function sayPaid(request: IncomingMessage, response: ServerResponse, script = invoiceAnswer(idIn(request))) {
  if (typeof script !== "function") response.writeHead(script.status).end(JSON.stringify(script.body));
}

/** Every invoice is a's; what was asked, with which key. */
function provideOnlyA(harness: Harness): { id: string; key: string }[] {
  const asked: { id: string; key: string }[] = [];
  harness.provider.otherwise((request, response) => {
    const id = idIn(request);
    const key = String(request.headers["x-api-key"]);
    asked.push({ id, key });
    sayPaid(request, response, key === "key-of-a" ? invoiceAnswer(id) : NOT_FOUND);
  });
  return asked;
}

describe("several sources", () => {
  it.each([
    ["a first", ["a", "b"] as const],
    ["b first", ["b", "a"] as const],
    ["together", null],
  ])("never ask with another's key, even when both name the same invoice (%s)", async (_name, order) => {
    const harness = await startHarness();
    const relay = await startRelay(twoSources(harness));
    const asked = provideOnlyA(harness);
    const id = randomUUID();
    const tell = (name: "a" | "b") =>
      relay.callback({ data: { id } }, { path: `/callbacks/${TOKENS[name]}` });
    const keys = () => new Set(asked.map(({ key }) => key));
    if (order === null) await Promise.all([tell("a"), tell("b")]);
    for (const [index, name] of (order ?? []).entries()) {
      await tell(name);
      await vi.waitFor(() => expect(keys().size).toBe(index + 1));
    }
    await vi.waitFor(() => expect(harness.sns.messages(harness.topicArn)).toHaveLength(1));
    await vi.waitFor(() => expect(keys()).toEqual(new Set(["key-of-a", "key-of-b"])));

    const rows = await harness.query(
      "select source, count(*)::int from callback group by source order by source",
    );
    expect(rows).toEqual([
      { source: "a", count: 1 },
      { source: "b", count: 1 },
    ]);
    // One event (G4), on a's topic only, and carrying a's name.
    expect(harness.sns.messages(harness.testTopicArn)).toEqual([]);
    expect(await harness.query("select source from event")).toEqual([{ source: "a" }]);
    expect(await harness.query("select source, verdict from confirmation where verdict = 'paid'")).toEqual([
      { source: "a", verdict: "paid" },
    ]);
  });

  it("a callback on one's token is asked with that key and no other", async () => {
    const harness = await startHarness();
    const relay = await startRelay(twoSources(harness));
    const asked = provideOnlyA(harness);
    const [forA, forB] = [randomUUID(), randomUUID()];
    await relay.callback({ data: { id: forA } }, { path: `/callbacks/${TOKENS.a}` });
    await relay.callback({ data: { id: forB } }, { path: `/callbacks/${TOKENS.b}` });
    await vi.waitFor(() => expect(asked.map(({ id }) => id)).toEqual(expect.arrayContaining([forA, forB])));
    for (const { id, key } of asked) expect(key).toBe(id === forA ? "key-of-a" : "key-of-b");
  });

  const WITHIN = { interval: 20 };
  /** What hangs is not given up while a test waits. */
  const withLongTimeout = (harness: Harness) => ({ ...twoSources(harness), CONFIRM_TIMEOUT: "10m" });
  /** What G11 promises; SNS itself is given up after 10 s. */
  const WITHIN_G11 = { timeout: 30_000, interval: 20 };
  const published = (harness: Harness, arn: string) =>
    harness.sns.messages(arn).map(({ message }) => JSON.parse(message).subject);

  it("whose provider hangs, with its queue full, holds up no other (G11)", async () => {
    const harness = await startHarness();
    const hanging = new Set<string>();
    harness.provider.otherwise((request, response) => {
      if (request.headers["x-api-key"] === "key-of-a") return void hanging.add(idIn(request));
      sayPaid(request, response);
    });
    const relay = await startRelay(withLongTimeout(harness));
    const tell = (name: "a" | "b", id = randomUUID()) =>
      relay.callback({ data: { id } }, { path: `/callbacks/${TOKENS[name]}` });
    await Promise.all(Array.from({ length: 400 }, () => tell("a")));
    await vi.waitFor(() => expect(hanging.size).toBeGreaterThan(5), WITHIN);
    const ids = Array.from({ length: 5 }, () => randomUUID());
    for (const id of ids) await tell("b", id);
    await vi.waitFor(
      () => expect(published(harness, harness.testTopicArn).toSorted()).toEqual(ids.toSorted()),
      WITHIN,
    );
  });

  it("whose refused key is tried, and nobody answers, holds up no other (G11)", async () => {
    const harness = await startHarness();
    const probes: string[] = [];
    harness.provider.otherwise((request, response) => {
      // Neither is the trial answered, nor any that follows.
      if (request.headers["x-api-key"] === "key-of-a") return void probes.push(idIn(request));
      sayPaid(request, response);
    });
    const relay = await startRelay(withLongTimeout(harness));
    await harness.query(
      "update source set paused_by = 'refused', paused_at = now(), probe_at = now() where name = 'a'",
    );
    await relay.callback({ data: { id: randomUUID() } }, { path: `/callbacks/${TOKENS.a}` });
    await vi.waitFor(() => expect(probes).toHaveLength(1), WITHIN);
    const id = randomUUID();
    await relay.callback({ data: { id } }, { path: `/callbacks/${TOKENS.b}` });
    await vi.waitFor(() => expect(published(harness, harness.testTopicArn)).toEqual([id]), WITHIN);
  });

  it.each([
    ["hangs", ""],
    ["was refused, and hangs when it is tried", "paused_by = 'refused', paused_at = now(), probe_at = now()"],
  ])("whose topic %s holds up no other (G11)", async (_, state) => {
    const harness = await startHarness();
    harness.provider.otherwise(sayPaid);
    const relay = await startRelay(twoSources(harness));
    if (state !== "") await harness.query(`update topic set ${state} where arn = $1`, [harness.topicArn]);
    harness.sns.addFault({ kind: "hang", times: 1_000, topicArn: harness.topicArn });
    const tell = (name: "a" | "b", id = randomUUID()) =>
      relay.callback({ data: { id } }, { path: `/callbacks/${TOKENS[name]}` });
    await Promise.all(Array.from({ length: 100 }, () => tell("a")));
    await vi.waitFor(
      async () =>
        expect(await harness.query("select from outbox where state = 'claimed'")).not.toHaveLength(0),
      WITHIN,
    );
    const ids = Array.from({ length: 5 }, () => randomUUID());
    for (const id of ids) await tell("b", id);
    await vi.waitFor(
      () => expect(published(harness, harness.testTopicArn).toSorted()).toEqual(ids.toSorted()),
      WITHIN_G11,
    );
  });

  it("whose invoices are answered, and whose collection is not, holds up no other (G11)", async () => {
    const harness = await startHarness();
    const hanging = new Set<unknown>();
    harness.provider.otherwise((request, response) => {
      if (request.url?.includes("/collections/")) return void hanging.add(request);
      sayPaid(request, response);
    });
    const settings = twoSources(harness, { a: { collectionIds: [LISTS.a] }, b: {} });
    const relay = await startRelay({ ...settings, CONFIRM_CONCURRENCY: "8" });
    const tell = (name: "a" | "b", id = randomUUID()) =>
      relay.callback({ data: { id } }, { path: `/callbacks/${TOKENS[name]}` });
    await Promise.all(Array.from({ length: 100 }, () => tell("a")));
    const ofA = () => harness.query("select from confirmation where state = 'claimed' and source = 'a'");
    await vi.waitFor(async () => expect((await ofA()).length).toBeGreaterThan(35), WITHIN);
    for (let count = 1; count <= 8; count += 1) {
      await tell("b");
      await vi.waitFor(() => expect(published(harness, harness.testTopicArn)).toHaveLength(count), WITHIN);
    }
    expect(hanging.size).toBeGreaterThan(0);
  });

  it("whose list waits holds up no other's sweeps (G11)", async () => {
    const harness = await startHarness();
    await startRelay(await listOfAWaits(harness, "sweep"));
    const swept = (source: string, state: string) =>
      harness.query("select from sweep where source = $1 and state = $2", [source, state]);
    await vi.waitFor(async () => expect(await swept("a", "claimed")).toHaveLength(1), WITHIN);
    const before = (await swept("b", "done")).length;
    await vi.waitFor(
      async () => expect((await swept("b", "done")).length).toBeGreaterThan(before + 2),
      WITHIN,
    );
    expect(await swept("a", "claimed")).toHaveLength(1);
  });

  it("whose list waits holds up no other's daily certificate (G11)", async () => {
    const harness = await startHarness();
    const settings = await listOfAWaits(harness, "certificate");
    for (const name of ["a", "b"] as const)
      await harness.query(
        `insert into certificate (id, source, day, window_from, window_to, collection_ids, due_at)
         select gen_random_uuid(), $1, (midnight at time zone 'UTC')::date, midnight - interval '2 days', midnight,
           array[$2::uuid], now()
         from date_trunc('day', now(), 'UTC') as midnight`,
        [name, LISTS[name]],
      );
    await startRelay(settings);
    await vi.waitFor(
      async () =>
        expect(await harness.query("select source, state from certificate order by source")).toEqual([
          { source: "a", state: "claimed" },
          { source: "b", state: "done" },
        ]),
      WITHIN,
    );
  });
});
