import { describe, expect, it } from "vitest";
import { reconcilePeriod } from "../../../src/pipeline/reconcile/on-request.ts";
import { dayOf } from "../../../src/platform/values/time.ts";
import { midnight, PAID_AT, place, prove } from "./prove-period.ts";
import { type Books, books, idsDue } from "./relay-books.ts";

type Table = "confirmation" | "invoice" | "event" | "publication" | "callback";

/** Which of its rows are of the payment with the invoice id `$1`. */
const WHERE: Record<Table, string> = {
  confirmation: "invoice_id = $1",
  invoice: "id = $1",
  event: "invoice_id = $1",
  publication: "event_id in (select id from event where invoice_id = $1)",
  callback: "invoice_ids[1] = $1",
};

/** Who heals it: reconcile, which asks again or queues again; a person; or there is nothing to heal. */
type Healing = "asked" | "queued" | "by hand" | "nothing";

/**
 * Changes by hand to a complete payment, where `gone` deletes the row, and what certify says of them; "-" where
 * nothing that could hide money was changed.
 */
const HOLES: [Table, change: string, said: string, Healing][] = [
  ["confirmation", "gone", "confirmation_missing", "asked"],
  ["invoice", "gone", "invoice_missing", "asked"],
  ["event", "gone", "event_missing acceptance_without_event", "asked"],
  ["publication", "gone", "no_acceptance", "queued"],
  ["callback", "gone", "callback_missing", "by hand"],

  ["confirmation", "source = 'other'", "confirmation_missing", "asked"],
  ["confirmation", "record_only = true, priority = 'replay', requested_at = '2020-01-01'", "-", "nothing"],

  ["invoice", "id = gen_random_uuid()", "invoice_missing other", "asked"],
  ["invoice", "source = 'other'", "invoice_missing", "asked"],
  ["invoice", "status = 'Unpaid'", "books_differ not_paid", "by hand"],
  ["invoice", "amount = 1", "amount_differs books_differ", "by hand"],
  ["invoice", "paid_at = paid_at - interval '1 year'", "books_differ", "by hand"],
  ["invoice", "document = '{}'", "books_differ", "by hand"],
  ["invoice", "created_at = null, modified_at = null, title = 'x', reference = 'x'", "-", "nothing"],

  ["event", "id = gen_random_uuid()", "event_missing acceptance_without_event", "asked"],
  ["event", "invoice_id = gen_random_uuid()", "event_missing other", "asked"],
  ["event", "source = 'other'", "event_missing acceptance_without_event", "asked"],
  ["event", "type = 'other'", "event_missing", "asked"],
  ["event", "invoice_type = 'Test'", "books_differ", "by hand"],
  [
    "event",
    "payload = replace(payload, '100.10', '900.10')",
    "amount_differs books_differ payload_differs",
    "by hand",
  ],
  ["event", "erased_at = now(), answer_digest = null, collection_name = 'x'", "-", "nothing"],
  ["event", "erased_at = now(), payload = payload || ' '", "payload_differs", "by hand"],

  ["publication", "topic_arn = 'arn:aws:sns:us-east-1:123456789012:other'", "wrong_topic", "queued"],
  ["publication", "event_id = gen_random_uuid()", "no_acceptance acceptance_without_event", "queued"],
  ["publication", "source = 'other'", "no_acceptance", "queued"],
  ["publication", "digest = null", "digest_missing", "by hand"],
  ["publication", "digest = '\\x00'", "payload_differs", "by hand"],
  ["publication", "message_id = 'x', replay_id = gen_random_uuid()", "-", "nothing"],
];

const NOTES = new Set(["callback_missing", "other"]);

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

  it.each(HOLES)("%s %s: %s, healed: %s", async (table, change, words, healing) => {
    const { given, id } = await completePayment();
    const verb = change === "gone" ? `delete from ${table}` : `update ${table} set ${change}`;
    await given.query(`${verb} where ${WHERE[table]}`, [id]);
    const { result, differences } = await prove(given);
    const reasons = new Set<string>(differences.map(({ reason }) => reason));
    const said = words === "-" ? [] : words.split(" ");
    for (const one of said.filter((reason) => reason !== "other")) expect([...reasons]).toContain(one);
    if (said.length === 0) expect(differences).toEqual([]);
    expect(result).toBe(said.some((reason) => !NOTES.has(reason)) ? "not_equal" : "equal");

    const { source, context } = given;
    const days = { from: dayOf(midnight(6)), to: dayOf(midnight(1)) };
    const asked = { ...days, sources: [source], publish: false, actor: "cli:test", signal: context.signal };
    const [done] = await reconcilePeriod(context, asked);
    const queued = await given.query("select 1 from outbox where source = 'default' and state = 'due'");
    const due = (await idsDue(given)).filter((one) => one === id);
    expect([due, queued.length]).toEqual([healing === "asked" ? [id] : [], healing === "queued" ? 1 : 0]);
    if (due.length + queued.length > 0) expect(done?.opened).toBeGreaterThan(0);
    // It never says that nothing is missing while something is.
    const lacksEvent = ["event_missing", "no_acceptance", "wrong_topic"].some((one) => reasons.has(one));
    if (lacksEvent && healing !== "by hand") expect(done?.missing).toBe(1);
    expect(await given.query("select actor, action from audit_entry")).toEqual([
      { actor: "cli:test", action: "reconcile" },
    ]);
  });
});
