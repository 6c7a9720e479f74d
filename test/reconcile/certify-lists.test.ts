import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { dayOf } from "../../src/kit/time.ts";
import { readUnprovenDays } from "../../src/reconcile/certified-days.ts";
import { readCertificatePage } from "../../src/reconcile/read-certificates.ts";
import { COLLECTION, PLAIN } from "./list-provider.ts";
import { midnight, named, PAID_AT, place, prove } from "./prove-period.ts";
import { books, daysAgo } from "./relay-books.ts";

describe("what a certificate makes of the provider's lists", () => {
  it("lets Test invoices stand apart", async () => {
    const given = await books();
    await place(given);
    const known = await place(given, { type: "Test", came: 2 });
    // Nobody ever asked about this one: the list of Test invoices alone does not make it one.
    const unknown = await place(given, { type: "Test", came: 0 });
    const certificate = await prove(given);
    expect(certificate).toMatchObject({ result: "equal", test: { count: 2 }, total: { paid: { count: 1 } } });
    expect(named(certificate)).toEqual({ [known]: "test", [unknown]: "test" });
    expect(given.provider.asked).toEqual([unknown]);
  });

  it("is refused by a list that contradicts itself, however the collection's id is written (G10)", async () => {
    const given = await books();
    given.provider.reading = { ...PLAIN, hides: 1 };
    await place(given);
    for (const collectionId of [COLLECTION, COLLECTION.toUpperCase()])
      expect(await prove(given, { collectionId })).toMatchObject({
        result: "refused",
        collections: [{ id: COLLECTION }],
      });
  });

  it("asks about what is stored and not listed: gone there, it differs; still paid, the list is not whole", async () => {
    const given = await books();
    const gone = await place(given, { listed: false });
    expect(await prove(given)).toMatchObject({
      result: "not_equal",
      differences: [{ invoiceId: gone, reason: "not_at_provider", weight: "difference" }],
    });
    const paidAt = PAID_AT;
    given.provider.unlisted.push({ id: gone, createdAt: paidAt, paidAt, amount: "100.10" });
    const refused = await prove(given);
    expect(refused.result).toBe("refused");
    expect(refused.refusals.join()).toContain(gone);
    // Created before the lookback, the list need not show it.
    given.provider.unlisted = [{ id: gone, createdAt: daysAgo(120), paidAt, amount: "100.10" }];
    expect(await prove(given)).toMatchObject({
      result: "equal",
      total: columns({ count: 1, amount: "100.10" }),
      differences: [{ invoiceId: gone, reason: "counted_by_asking", weight: "note" }],
    });
  });

  it("reads on where its dates mean payment, for one that has moved beyond the period", async () => {
    const given = await books();
    given.provider.reading = { ...PLAIN, dates: "paidAt" };
    const moved = await place(given, { paidAt: midnight(9) });
    for (const invoice of given.provider.invoices) invoice.paidAt = midnight(2);
    await place(given, { paidAt: midnight(10) });
    const before = { window: { from: midnight(20), to: midnight(8) } };
    expect(await prove(given, before)).toMatchObject({ result: "equal", total: { paid: { count: 1 } } });
    // It is on no day: now it is left out.
    given.provider.unlisted = given.provider.invoices.filter(({ id }) => id === moved);
    given.provider.invoices = given.provider.invoices.filter(({ id }) => id !== moved);
    const { result, refusals } = await prove(given, before);
    expect([result, refusals.join()]).toEqual(["refused", expect.stringContaining(moved)]);
  });

  it("asks about every invoice when deep, and finds what the list does not show", async () => {
    const given = await books();
    const id = await place(given);
    const [invoice] = given.provider.invoices;
    given.provider.unlisted = [{ ...invoice, id, amount: "99" } as (typeof given.provider.unlisted)[number]];
    given.provider.invoices = given.provider.invoices.map((one) => ({ ...one }));
    expect((await prove(given)).result).toBe("equal");
    const steps: string[] = [];
    const onProgress = ({ step, done }: { step: string; done: number }) => void steps.push(`${step} ${done}`);
    expect(await prove(given, { deep: true, onProgress })).toMatchObject({
      result: "equal",
      basis: {
        deep: { read: 1, asked: 1, pages: [{ collectionId: COLLECTION, pages: expect.any(Number) }] },
      },
    });
    expect(steps).toContain("invoices 1");
    expect(steps.at(-1)).toBe("books 1");
    // Whatever the list calls them.
    const unpaid = { createdAt: PAID_AT, paidAt: PAID_AT, status: "Unpaid", datePaid: null };
    given.provider.invoices.push(...Array.from({ length: 149 }, () => ({ id: randomUUID(), ...unpaid })));
    given.provider.unlisted = [];
    const whole = await prove(given, { deep: true });
    expect(whole).toMatchObject({ result: "equal", basis: { asked: 150, deep: { read: 150, asked: 150 } } });
  });

  it("names an item whose id is none, and reads on", async () => {
    const given = await books();
    const missing = await place(given, { came: 0 });
    given.provider.invoices.push({ id: "INV-7", createdAt: PAID_AT, paidAt: PAID_AT, amount: "7" });
    const { result, differences } = await prove(given);
    expect(result).toBe("not_equal");
    expect(differences).toMatchObject([
      { invoiceId: missing, reason: "missing" },
      { invoiceId: null, reason: "id_unusable", detail: expect.stringContaining("inv-7") },
    ]);
  });

  it("can be read again whatever an item has in place of an id, cut in the middle of a character too", async () => {
    const given = await books();
    const odd = { createdAt: PAID_AT, paidAt: PAID_AT, amount: "7" };
    for (const id of [`${"x".repeat(59)}😀😀`, "\0", "\ud83d"]) given.provider.invoices.push({ id, ...odd });
    const { id, differences } = await prove(given);
    expect(differences).toHaveLength(3);
    const page = await readCertificatePage(given.db, id, { limit: 10, after: 0 });
    expect(page?.differences).toEqual(differences);
    expect(await readUnprovenDays(given.db, null)).toMatchObject([{ certificateId: id }]);
  });

  it("is refused where more items than are kept name no invoice (G8)", async () => {
    const given = await books();
    const before = { createdAt: PAID_AT, paidAt: midnight(40) };
    given.provider.invoices = Array.from({ length: 1_001 }, (_, n) => ({ id: `INV-${n}`, ...before }));
    expect(await prove(given)).toMatchObject({
      result: "refused",
      refusals: [expect.stringContaining("more than 1000 items name no invoice")],
    });
  });

  it.each([
    ["on its day in the zone of the books", new Date(midnight(5).getTime() - 1_800_000).toISOString(), 5],
    ["in any period, where its date is of no year that can be", "+275760-09-13T00:00:00Z", 20],
    ["in any period, where its date is a number", 45_231, 20],
    ["in any period, where its date is to come", "2999-01-01T00:00:00Z", 20],
    ["in any period, where its date is before every provider", "1975-01-01T00:00:00Z", 20],
  ])("counts an item whose id is none %s", async (_, datePaid, daysBack) => {
    const given = await books();
    given.source.booksTimeZone = "Africa/Lagos";
    given.provider.invoices.push({ id: "INV-7", createdAt: PAID_AT, paidAt: PAID_AT, datePaid });
    expect(await prove(given)).toMatchObject({
      result: "not_equal",
      differences: [{ reason: "id_unusable", day: dayOf(midnight(daysBack)) }],
    });
  });
});

const columns = <Tally>(tally: Tally) => ({ paid: tally, stored: tally, published: tally });
