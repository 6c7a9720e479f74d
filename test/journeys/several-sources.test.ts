import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describe, expect, it, vi } from "vitest";
import { eventually, toEqual, toHaveLength } from "../support/eventually.ts";
import { type Harness, startHarness, startRelay } from "../support/relay.ts";
import { invoiceAnswer, NOT_FOUND } from "../support/scripted-provider.ts";
import { LISTS, TOKENS, twoSources } from "../support/two-sources.ts";

type Name = "a" | "b";

const idIn = ({ url }: IncomingMessage) => url?.split("/").at(-1) ?? "";
const keyIn = ({ headers }: IncomingMessage) => String(headers["x-api-key"]);

/** Answers with this script, or that the invoice is paid. */
function sayPaid(request: IncomingMessage, response: ServerResponse, script = invoiceAnswer(idIn(request))) {
  if (typeof script !== "function") response.writeHead(script.status).end(JSON.stringify(script.body));
}

/** A relay of these settings, and what calls it back about an invoice on a source's token. */
async function toldOf(settings: Record<string, string | undefined>) {
  const relay = await startRelay(settings);
  return (name: Name, id: string = randomUUID()) =>
    relay.callback({ data: { id } }, { path: `/callbacks/${TOKENS[name]}` });
}

const published = (harness: Harness, arn: string) =>
  harness.sns.messages(arn).map(({ message }) => JSON.parse(message).subject);

/** Settings in which both have a list that is swept often; in the middle of that of `a`, `a` names a long wait. */
async function listOfAWaits(harness: Harness) {
  const isReading = async () =>
    expect(await harness.query("select from sweep where source = 'a' and state = 'claimed'")).toHaveLength(1);
  harness.provider.otherwise(async (request, response) => {
    const isA = request.headers["x-api-key"] === "key-of-a";
    const isList = request.url?.includes("/invoices?") === true;
    const slow = "opens_at = now() + interval '10 min', retry_at = now() + interval '10 min'";
    // A request that outlives the test finds its database gone.
    if (isA && isList) {
      await vi.waitFor(isReading, { interval: 20 }).catch(() => undefined);
      await harness.query(`update source set ${slow} where name = 'a'`).catch(() => undefined);
    }
    const [id, collectionName] = isA ? [LISTS.a, "Term 1"] : [LISTS.b, "Term 2"];
    const item = { id: randomUUID(), title: "Fees", status: "Unpaid", dateCreated: "2026-11-01T08:00:00Z" };
    const page = isA
      ? { items: [item], page: 1, pageSize: 1, totalCount: 2, hasNextPage: true }
      : { items: [], page: 1, pageSize: 50, totalCount: 0, hasNextPage: false };
    const data = isList ? { ...page, hasPreviousPage: false } : { id, collectionName };
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ status: "success", message: "ok", data }));
  });
  await harness.query(
    "insert into source (name, first_served_at) select *, now() - interval '3 days' from unnest($1::text[])",
    [["a", "b"]],
  );
  const lists = { a: { collectionIds: [LISTS.a] }, b: { collectionIds: [LISTS.b] } };
  return { ...twoSources(harness, lists), RECONCILE_INTERVAL: "1s" };
}

describe("several sources", () => {
  it("never ask with another's key, even when both name the same invoice", async () => {
    const harness = await startHarness();
    const tell = await toldOf(twoSources(harness));
    // Every invoice but the last is a's.
    const [id, ofB] = [randomUUID(), randomUUID()];
    const asked: { id: string; key: string }[] = [];
    harness.provider.otherwise((request, response) => {
      const one = { id: idIn(request), key: keyIn(request) };
      asked.push(one);
      const isOwn = one.key === (one.id === ofB ? "key-of-b" : "key-of-a");
      sayPaid(request, response, isOwn ? invoiceAnswer(one.id) : NOT_FOUND);
    });
    const keys = (of = id) => new Set(asked.filter((one) => one.id === of).map(({ key }) => key));
    await Promise.all([tell("b", id), tell("a", id)]);
    await tell("b", ofB);
    await vi.waitFor(() => expect(keys()).toEqual(new Set(["key-of-a", "key-of-b"])));
    // Each its own event (G4), on its own topic, under its own name, asked for with its own key.
    await eventually(() => published(harness, harness.topicArn), toEqual([id]));
    await eventually(() => published(harness, harness.testTopicArn), toEqual([ofB]));
    expect(keys(ofB)).toEqual(new Set(["key-of-b"]));
    const paid = await harness.query(
      "select source, invoice_id from confirmation where verdict = 'paid' order by source",
    );
    expect(paid).toEqual([
      { source: "a", invoice_id: id },
      { source: "b", invoice_id: ofB },
    ]);
  });

  const REFUSED = "paused_by = 'refused', paused_at = now(), probe_at = now()";
  /** What keeps a from its work: how it comes to that, and the settings. */
  const TROUBLES: Record<string, (harness: Harness) => Promise<Record<string, string | undefined>>> = {
    "provider hangs, with its queue full": async (harness) => {
      harness.provider.otherwise((request, response) =>
        keyIn(request) === "key-of-a" ? undefined : sayPaid(request, response),
      );
      return { ...twoSources(harness), CONFIRM_TIMEOUT: "10m" };
    },
    "refused key is tried, and nobody answers": async (harness) => {
      await harness.query(
        `insert into source (name, paused_by, paused_at, probe_at) values ('a', 'refused', now(), now())`,
      );
      return await (TROUBLES["provider hangs, with its queue full"] as (typeof TROUBLES)[string])(harness);
    },
    "topic hangs": async (harness) => {
      harness.provider.otherwise(sayPaid);
      harness.sns.addFault({ kind: "hang", times: 1_000, topicArn: harness.topicArn });
      return twoSources(harness);
    },
    "topic was refused, and hangs when it is tried": async (harness) => {
      harness.provider.otherwise(sayPaid);
      harness.sns.addFault({ kind: "hang", times: 1_000, topicArn: harness.topicArn });
      await harness.query(`insert into topic (arn) values ($1)`, [harness.topicArn]);
      await harness.query(`update topic set ${REFUSED}`);
      return twoSources(harness);
    },
    "invoices are answered, and whose collection is not": async (harness) => {
      harness.provider.otherwise((request, response) =>
        request.url?.includes("/collections/") ? undefined : sayPaid(request, response),
      );
      const settings = twoSources(harness, { a: { collectionIds: [LISTS.a] }, b: {} });
      return { ...settings, CONFIRM_CONCURRENCY: "8" };
    },
  };

  it.each(Object.entries(TROUBLES))("whose %s holds up no other (G11)", async (trouble, begin) => {
    const harness = await startHarness();
    const tell = await toldOf(await begin(harness));
    await Promise.all(Array.from({ length: 200 }, () => tell("a")));
    const held = `select from confirmation where state = 'claimed' and source = 'a'
      union all select from outbox where state = 'claimed' and source = 'a'`;
    // A refused source has nothing claimed: it is only tried.
    const isTried = () => trouble.startsWith("refused key") && harness.provider.requests.length > 0;
    await vi.waitFor(async () => expect(isTried() || (await harness.query(held)).length > 0).toBe(true));
    const ids = Array.from({ length: 8 }, () => randomUUID());
    for (const id of ids) await tell("b", id);
    // What G11 promises; SNS itself is given up after 10 s.
    await eventually(() => published(harness, harness.testTopicArn).toSorted(), toEqual(ids.toSorted()), {
      timeout: 30_000,
    });
    expect(published(harness, harness.topicArn)).toEqual([]);
  });

  it("whose list waits holds up no other's jobs (G11)", async () => {
    const harness = await startHarness();
    await startRelay(await listOfAWaits(harness));
    const swept = (source: string, state: string) =>
      harness.query("select from sweep where source = $1 and state = $2", [source, state]);
    await eventually(() => swept("a", "claimed"), toHaveLength(1));
    const before = (await swept("b", "done")).length;
    await vi.waitFor(async () => expect((await swept("b", "done")).length).toBeGreaterThan(before + 2));
    expect(await swept("a", "claimed")).toHaveLength(1);
  });
});
