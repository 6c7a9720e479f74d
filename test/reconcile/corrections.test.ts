import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { certify } from "../../src/reconcile/certificate/certify.ts";
import { eventually } from "../support/eventually.ts";
import { startRelay, surroundings } from "../support/relay.ts";
import { type ListedInvoice, startListProvider } from "./list-provider.ts";
import { midnight } from "./prove-period.ts";
import { booksIn } from "./relay-books.ts";

const DAY = [4, 3, 2].map((back) => midnight(back));
const [OLD, NEW] = [at(1), at(2)];
const MONEY = { serviceCharge: 10, vat: 0.75, totalAmount: 1511.25, settleableAmount: 1500.5 };

function at(day: number, hours = 9): Date {
  return new Date((DAY[day] as Date).getTime() + hours * 3_600_000);
}

/** A payment that was published, and what the provider says of it afterwards. */
interface Correction {
  name: string;
  first?: Partial<ListedInvoice>;
  later: Partial<ListedInvoice>;
  /** What the certificate says of it. */
  said: string[];
  detail?: string;
}

const more = (changes: object) => ({ more: { ...MONEY, ...changes } });

const CORRECTIONS: Correction[] = [
  {
    name: "charge and tax at settlement",
    later: more({ serviceCharge: 12, vat: 0.9 }),
    said: ["note corrected"],
    detail: "serviceCharge was 10.00 and is 12.00, vat was 0.75 and is 0.90",
  },
  {
    name: "what is settled",
    later: more({ settleableAmount: 1490 }),
    said: ["note corrected"],
    detail: "settleableAmount was 1500.50 and is 1490.00",
  },
  {
    name: "a tax that was not named",
    first: more({ vat: null }),
    later: more({}),
    said: ["note corrected"],
    detail: "vat was missing and is 0.75",
  },
  {
    name: "a time of payment that was not named",
    first: { paidAt: null, status: "Paid", createdAt: OLD },
    later: { paidAt: NEW },
    said: ["note corrected"],
    detail: `paidAt was missing and is ${NEW.toISOString()}`,
  },
  {
    name: "another day of payment",
    later: { paidAt: NEW },
    said: ["note corrected", "note corrected"],
    detail: `paidAt was ${OLD.toISOString()} and is ${NEW.toISOString()}`,
  },
  { name: "fields that no event holds", later: more({ settlementFrequency: "Daily" }), said: [] },
  { name: "the total", later: more({ totalAmount: 1600 }), said: ["difference amount_differs"] },
  { name: "the amount", later: { amount: 1400 }, said: ["difference amount_differs"] },
];

describe("what the provider changes of a payment after its event was made", () => {
  it("is a note with both values, and no forgery; another amount stays a difference (G10)", async () => {
    const around = await surroundings();
    const provider = await startListProvider();
    const given = await booksIn(around.databaseUrl, provider);
    const relay = await startRelay(around.environment({ COLLECTION_API_URL: provider.url }));
    await around.query("update source set first_served_at = now() - interval '30 days'");
    const source = { ...given.source, liveTopicArn: around.topicArn };

    for (const { first } of CORRECTIONS)
      provider.invoices.push({ id: randomUUID(), createdAt: at(0), paidAt: OLD, ...more({}), ...first });
    const ids = provider.invoices.map(({ id }) => id);
    const tell = () => Promise.all(ids.map((id) => relay.callback({ id })));
    await tell();
    await eventually(
      () => around.query("select from publication"),
      (rows) => expect(rows).toHaveLength(ids.length),
    );
    for (const [n, { later }] of CORRECTIONS.entries())
      Object.assign(provider.invoices[n] as object, later, { modifiedAt: new Date() });
    await tell();
    await eventually(
      () => around.query("select from invoice_snapshot"),
      (rows) => expect(rows).toHaveLength(ids.length),
    );

    const prove = async (from: Date, to: Date) => {
      const signal = new AbortController().signal;
      const request = { source, window: { from, to }, collectionId: null, signal };
      const [certificate] = await certify(given.context, request);
      return certificate as NonNullable<typeof certificate>;
    };
    const whole = await prove(midnight(10), midnight(0));
    const said = ids.map((id) => whole.differences.filter(({ invoiceId }) => invoiceId === id));
    expect(said.map((one) => one.map(({ weight, reason }) => `${weight} ${reason}`))).toEqual(
      CORRECTIONS.map((one) => one.said),
    );
    for (const [n, { detail }] of CORRECTIONS.entries())
      if (detail !== undefined) expect(said[n]?.[0]?.detail).toContain(detail);
    expect(whole.total.paid.count).toBe(ids.length);

    // Another day of payment: counted once, on the day that the provider says now.
    const moved = CORRECTIONS.findIndex(({ name }) => name === "another day of payment");
    expect(said[moved]?.map(({ day }) => day).sort()).toEqual(
      [OLD, NEW].map((one) => one.toISOString().slice(0, 10)),
    );
    const before = await prove(midnight(3), midnight(2));
    const after = await prove(midnight(2), midnight(1));
    expect([before.total.paid.count, after.total.paid.count]).toEqual([ids.length - 2, 2]);
    for (const one of [before, after])
      expect(one.differences.filter(({ invoiceId }) => invoiceId === ids[moved])).toMatchObject([
        { reason: "corrected", weight: "note" },
      ]);
  });
});
