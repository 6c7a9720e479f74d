import { describe, expect, it } from "vitest";
import { dayOf } from "../../src/kit/time.ts";
import { readOf, reconcilePeriod } from "../../src/reconcile/on-request.ts";
import { midnight, PAID_AT, place, prove } from "./prove-period.ts";
import { type Books, books } from "./relay-books.ts";

const OTHER_TOPIC = "arn:aws:sns:us-east-1:123456789012:invoice-events-test";

/** What certify says; none: nothing that could hide money was changed. */
type Said = string[];

/**
 * How it is healed: by reconcile, which asks again or queues again; by nobody; or there is nothing to heal.
 */
type Healing = "asked" | "queued" | "by hand" | "nothing";

/** One change by hand to the rows of one complete payment: `$1` is its invoice id. */
const HOLES: [change: string, said: Said, healing: Healing][] = [
  ["delete from confirmation where invoice_id = $1", ["confirmation_missing"], "asked"],
  ["delete from invoice where id = $1", ["invoice_missing"], "asked"],
  ["delete from event where invoice_id = $1", ["event_missing", "acceptance_without_event"], "asked"],
  [
    "delete from publication where event_id in (select id from event where invoice_id = $1)",
    ["no_acceptance"],
    "queued",
  ],
  ["delete from callback where invoice_ids[1] = $1", ["callback_missing"], "by hand"],

  ["update confirmation set verdict = 'not_paid' where invoice_id = $1", ["verdict_differs"], "asked"],
  ["update confirmation set verdict = null where invoice_id = $1", ["verdict_differs"], "asked"],
  ["update confirmation set source = 'other' where invoice_id = $1", ["confirmation_missing"], "asked"],
  [
    "update confirmation set invoice_id = gen_random_uuid() where invoice_id = $1",
    ["confirmation_missing"],
    "asked",
  ],
  ["update confirmation set record_only = true where invoice_id = $1", [], "nothing"],
  ["update confirmation set attempt = 7, faults = 7, requests = 7 where invoice_id = $1", [], "nothing"],
  ["update confirmation set last_error = 'x', last_answer = 'x' where invoice_id = $1", [], "nothing"],
  [
    "update confirmation set settled_at = null, requested_at = '2020-01-01' where invoice_id = $1",
    [],
    "nothing",
  ],
  ["update confirmation set priority = 'replay' where invoice_id = $1", [], "nothing"],

  ["update invoice set id = gen_random_uuid() where id = $1", ["invoice_missing", "other"], "asked"],
  ["update invoice set source = 'other' where id = $1", ["invoice_missing"], "asked"],
  ["update invoice set status = 'Unpaid' where id = $1", ["books_differ", "not_paid"], "by hand"],
  ["update invoice set type = 'Test' where id = $1", ["books_differ"], "by hand"],
  ["update invoice set amount = 1 where id = $1", ["amount_differs", "books_differ"], "by hand"],
  ["update invoice set amount = null where id = $1", ["amount_differs", "books_differ"], "by hand"],
  ["update invoice set total_amount = 1 where id = $1", ["books_differ"], "by hand"],
  ["update invoice set vat = 1 where id = $1", ["books_differ"], "by hand"],
  ["update invoice set service_charge = 1 where id = $1", ["books_differ"], "by hand"],
  ["update invoice set settleable_amount = 1 where id = $1", ["books_differ"], "by hand"],
  ["update invoice set paid_at = paid_at - interval '1 year' where id = $1", ["books_differ"], "by hand"],
  ["update invoice set paid_at = null where id = $1", ["books_differ"], "by hand"],
  ["update invoice set paid_at = '2199-01-01' where id = $1", ["books_differ", "future"], "by hand"],
  ["update invoice set digest = 'x' where id = $1", ["books_differ"], "by hand"],
  ["update invoice set document = '{}' where id = $1", ["books_differ"], "by hand"],
  ["update invoice set document = '[1]' where id = $1", ["books_differ"], "by hand"],
  ["update invoice set created_at = null, modified_at = null where id = $1", [], "nothing"],
  ["update invoice set title = 'x', reference = 'x', payment_method = 'x' where id = $1", [], "nothing"],

  [
    "update event set id = gen_random_uuid() where invoice_id = $1",
    ["no_acceptance", "acceptance_without_event", "payload_differs"],
    "queued",
  ],
  [
    "update event set invoice_id = gen_random_uuid() where invoice_id = $1",
    ["event_missing", "other"],
    "asked",
  ],
  [
    "update event set source = 'other' where invoice_id = $1",
    ["event_missing", "acceptance_without_event"],
    "asked",
  ],
  ["update event set type = 'other' where invoice_id = $1", ["event_missing"], "asked"],
  ["update event set invoice_type = 'Test' where invoice_id = $1", ["books_differ"], "by hand"],
  [
    "update event set payload = replace(payload, '100.10', '900.10') where invoice_id = $1",
    ["amount_differs", "books_differ", "payload_differs"],
    "by hand",
  ],
  [
    "update event set payload = 'garbage' where invoice_id = $1",
    ["amount_differs", "books_differ", "payload_differs"],
    "by hand",
  ],
  ["update event set erased_at = now() where invoice_id = $1", [], "nothing"],
  [
    "update event set erased_at = now(), payload = payload || ' ' where invoice_id = $1",
    ["payload_differs"],
    "by hand",
  ],
  ["update event set answer_digest = null where invoice_id = $1", [], "nothing"],
  ["update event set collection_name = 'x' where invoice_id = $1", [], "nothing"],
  ["update event set created_at = '2020-01-01' where invoice_id = $1", [], "nothing"],

  [
    `update publication set topic_arn = '${OTHER_TOPIC}' where event_id in (select id from event
      where invoice_id = $1)`,
    ["wrong_topic"],
    "queued",
  ],
  [
    `update publication set event_id = gen_random_uuid() where event_id in (select id from event
      where invoice_id = $1)`,
    ["no_acceptance", "acceptance_without_event"],
    "queued",
  ],
  [
    "update publication set source = 'other' where event_id in (select id from event where invoice_id = $1)",
    ["no_acceptance"],
    "queued",
  ],
  [
    "update publication set digest = null where event_id in (select id from event where invoice_id = $1)",
    ["digest_missing"],
    "by hand",
  ],
  [
    "update publication set digest = '\\x00' where event_id in (select id from event where invoice_id = $1)",
    ["payload_differs"],
    "by hand",
  ],
  [
    `update publication set message_id = 'x', published_at = '2020-01-01' where event_id in (select id
      from event where invoice_id = $1)`,
    [],
    "nothing",
  ],
  [
    `update publication set replay_id = gen_random_uuid() where event_id in (select id from event
      where invoice_id = $1)`,
    [],
    "nothing",
  ],
];

const NOTES = new Set(["callback_missing", "future", "other"]);

async function completePayment(): Promise<{ given: Books; id: string }> {
  const given = await books();
  await place(given);
  const id = await place(given, { openedBy: "callback" });
  await given.query(
    `insert into callback (id, received_at, source, method, path, query, invoice_ids, headers, body)
     values (gen_random_uuid(), $2, 'default', 'POST', '/', '', array[$1::uuid], '[]', '')`,
    [id, PAID_AT],
  );
  return { given, id };
}

describe("a hole made by hand", () => {
  it("is none as long as nothing was changed", async () => {
    const { given } = await completePayment();
    expect(await prove(given)).toMatchObject({
      result: "equal",
      differences: [],
      total: { paid: { count: 2 } },
    });
  });

  it.each(HOLES)("%s: %j, healed: %s", async (change, said, healing) => {
    const { given, id } = await completePayment();
    await given.query(change, [id]);
    const { result, differences } = await prove(given);
    const reasons = new Set<string>(differences.map(({ reason }) => reason));
    for (const one of said.filter((reason) => reason !== "other")) expect([...reasons]).toContain(one);
    if (said.length === 0) expect(differences).toEqual([]);
    expect(result).toBe(said.some((reason) => !NOTES.has(reason)) ? "not_equal" : "equal");

    const [done] = readOf(
      await reconcilePeriod(given.context, {
        sources: [given.source],
        ...{ from: dayOf(midnight(6)), to: dayOf(midnight(1)) },
        publish: false,
        actor: "cli:test",
        signal: new AbortController().signal,
      }),
    );
    const asked = await given.query(
      "select 1 from confirmation where invoice_id = $1 and source = 'default' and state = 'due'",
      [id],
    );
    const queued = await given.query("select 1 from outbox where source = 'default' and state = 'due'");
    expect([asked.length, queued.length]).toEqual([
      healing === "asked" ? 1 : 0,
      healing === "queued" ? 1 : 0,
    ]);
    if (asked.length + queued.length > 0) expect(done?.opened).toBeGreaterThan(0);
    // It never says that nothing is missing while something is.
    const lacksEvent = [...reasons].some((reason) =>
      ["event_missing", "no_acceptance", "wrong_topic"].includes(reason),
    );
    if (lacksEvent && healing !== "by hand") expect(done?.waiting).toMatchObject([{ reason: "not_served" }]);
    expect(await given.query("select actor, action from audit_entry")).toEqual([
      { actor: "cli:test", action: "reconcile" },
    ]);
  });
});
