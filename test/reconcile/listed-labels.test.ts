import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { sweepPass } from "../../src/reconcile/sweep/sweep.ts";
import type { ListedInvoice } from "./list-provider.ts";
import { PAID_AT, place, prove } from "./prove-period.ts";
import { type Books, books, daysAgo } from "./relay-books.ts";

const GO_ON = new AbortController().signal;

const pay = ({ provider }: Books, shown: Partial<ListedInvoice>): string => {
  const id = randomUUID();
  const createdAt = new Date(PAID_AT.getTime() - 1_800_000);
  provider.invoices.push({ id, createdAt, paidAt: PAID_AT, ...shown });
  return id;
};

const sweep = async (given: Books): Promise<string[]> => {
  await sweepPass({ ...given.context, intervalMs: 0 }, GO_ON);
  const rows = await given.query<{ id: string }>(
    "select invoice_id as id from confirmation where state = 'due' order by invoice_id",
  );
  return rows.map(({ id }) => id);
};

/** As if each open confirmation had been asked, to this end. */
const end = ({ query }: Books, verdict: string) =>
  query("update confirmation set state = 'done', verdict = $1", [verdict]);

const LABELS = [
  "Settled",
  " successful ",
  "OVERPAID",
  "Bezahlt",
  "已付款",
  "",
  null,
  7,
  { is: "Paid" },
  "Reversed",
];

const DATES = [
  "1969-07-20T20:17:00Z",
  "2199-01-01T00:00:00Z",
  daysAgo(300).toISOString(),
  1_763_800_000,
  "31/12/2025",
  "2025-12-01T10:00:00+99:00",
  "soon",
];

describe("a payment that the list calls something else (G10)", () => {
  it("is found by a sweep whatever its label, and is a gap until then", async () => {
    const given = await books();
    const ids = LABELS.map((label) => pay(given, { label, datePaid: null }));
    const { result, gaps } = await prove(given);
    expect({ result, gaps }).toEqual({ result: "not_equal", gaps: ids.length });
    expect(await sweep(given)).toEqual(ids.toSorted());
  });

  it("is found by a sweep whatever date of payment the list gives it, even where it is called Unpaid", async () => {
    const given = await books();
    const ids = DATES.flatMap((datePaid) => [
      pay(given, { datePaid }),
      pay(given, { datePaid, label: "Unpaid" }),
    ]);
    const { result, gaps } = await prove(given);
    expect({ result, gaps }).toEqual({ result: "not_equal", gaps: ids.length });
    expect(await sweep(given)).toEqual(ids.toSorted());
    const record = await given.query("select 1 from confirmation where record_only");
    expect(record).toEqual([]);
  });

  it("is passed over only as Unpaid, Invalidated or Expired and without a date of payment", async () => {
    const given = await books();
    given.source.invalidStatuses = ["Invalidated", "Expired"];
    for (const label of ["Unpaid", " UNPAID", "Invalidated", "expired"])
      for (const datePaid of [null, "", "0001-01-01T00:00:00"])
        pay(given, { label, datePaid, paidAt: PAID_AT, status: "Unpaid" });
    expect(await sweep(given)).toEqual([]);
    expect((await prove(given)).result).toBe("equal");
    expect(given.provider.asked).toEqual([]);
  });

  it("is asked about once, and again only when its listed item changed", async () => {
    const given = await books();
    const id = pay(given, { label: "On hold", datePaid: null });
    expect(await sweep(given)).toEqual([id]);
    for (const verdict of ["not_paid", "invalidated", "unknown_invoice"]) {
      await end(given, verdict);
      expect(await sweep(given)).toEqual([]);
      const [item] = given.provider.invoices;
      if (item !== undefined) item.label = `After ${verdict}`;
      expect(await sweep(given)).toEqual([id]);
    }
    await given.query("update confirmation set state = 'dead', verdict = 'pending'");
    expect(await sweep(given)).toEqual([]);
  });

  it("is asked about once more when what was confirmed as paid is called something else", async () => {
    const given = await books();
    const id = await place(given);
    expect(await sweep(given)).toEqual([]);
    const [item] = given.provider.invoices;
    if (item !== undefined) item.label = "Refunded";
    expect(await sweep(given)).toEqual([id]);
    await end(given, "paid");
    expect(await sweep(given)).toEqual([]);
  });
});

describe("a status that nobody knows, in Get Invoice's own answer", () => {
  it("is named status_unknown, never green, until PAID_STATUSES settles it", async () => {
    const given = await books();
    await place(given);
    const id = pay(given, { status: "Settled" });
    const unknown = await prove(given);
    expect(unknown).toMatchObject({
      result: "not_equal",
      differences: [{ invoiceId: id, reason: "status_unknown", weight: "difference" }],
    });
    expect(unknown.differences[0]?.detail).toContain('"Settled"');
    given.source.invalidStatuses = ["Settled"];
    expect((await prove(given)).result).toBe("equal");
  });

  it("is one of what was paid, too", async () => {
    const given = await books();
    const id = await place(given);
    const [item] = given.provider.invoices;
    if (item !== undefined) item.status = "Settled";
    expect(await prove(given)).toMatchObject({
      result: "not_equal",
      differences: [{ invoiceId: id, reason: "status_unknown" }],
    });
  });
});

describe("what was paid and is reversed", () => {
  it("is asked about where list items carry no status", async () => {
    const given = await books();
    const id = await place(given);
    const [item] = given.provider.invoices;
    Object.assign(item ?? {}, { label: null, status: "Invalidated" });
    expect(await prove(given)).toMatchObject({
      result: "not_equal",
      differences: [{ invoiceId: id, reason: "not_at_provider" }],
    });
  });
});

describe("the day of a payment", () => {
  it("is the answer's, whatever the list says", async () => {
    const given = await books();
    const id = await place(given);
    const [item] = given.provider.invoices;
    if (item !== undefined) item.datePaid = daysAgo(9).toISOString();
    const certificate = await prove(given);
    expect(certificate).toMatchObject({
      result: "equal",
      days: [{ day: PAID_AT.toISOString().slice(0, 10) }],
    });
    expect(given.provider.asked).toEqual([id]);
  });
});
