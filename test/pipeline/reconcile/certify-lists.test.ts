import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { readCertificatePage, readUnprovenDays } from "../../../src/pipeline/reconcile/index.ts";
import { dayOf } from "../../../src/platform/values/time.ts";
import { COLLECTION, PLAIN } from "./list-provider.ts";
import { midnight, named, PAID_AT, place, prove } from "./prove-period.ts";
import { books, daysAgo } from "./relay-books.ts";

/** An item of the list as it dates one of the period. */
const ITEM = { createdAt: PAID_AT, paidAt: PAID_AT, amount: "7" };

describe("what a certificate makes of the provider's lists", () => {
  it("lets Test invoices stand apart, also one that nobody ever asked about", async () => {
    const given = await books();
    await place(given);
    const [known, unknown] = [
      await place(given, { type: "Test", came: 2 }),
      await place(given, { type: "Test", came: 0 }),
    ];
    const certificate = await prove(given);
    expect(certificate).toMatchObject({ result: "equal", test: { count: 2 }, total: { paid: { count: 1 } } });
    expect(named(certificate)).toEqual({ [known]: "test", [unknown]: "test" });
    // The list of Test invoices alone does not make it one.
    expect(given.provider.asked).toEqual([unknown]);
  });

  it("is refused by a list that contradicts itself, however the collection's id is written (G10)", async () => {
    const given = await books();
    given.provider.reading = { ...PLAIN, hides: 1 };
    await place(given);
    const refused = { result: "refused", collections: [{ id: COLLECTION }] };
    for (const collectionId of [COLLECTION, COLLECTION.toUpperCase()])
      expect(await prove(given, { collectionId })).toMatchObject(refused);
  });

  it("asks about what is stored and not listed: gone there, it differs; still paid, the list is not whole", async () => {
    const given = await books();
    const gone = await place(given, { listed: false });
    expect(await prove(given)).toMatchObject({
      result: "not_equal",
      differences: [{ invoiceId: gone, reason: "not_at_provider", weight: "difference" }],
    });
    const unlisted = { id: gone, paidAt: PAID_AT, amount: "100.10" };
    given.provider.unlisted = [{ ...unlisted, createdAt: PAID_AT }];
    expect(await prove(given)).toMatchObject({
      result: "refused",
      refusals: [expect.stringContaining(gone)],
    });
    // Created before the lookback, the list need not show it.
    given.provider.unlisted = [{ ...unlisted, createdAt: daysAgo(120) }];
    const one = { count: 1, amount: "100.10" };
    expect(await prove(given)).toMatchObject({
      ...{ result: "equal", total: { paid: one, stored: one, published: one } },
      differences: [{ invoiceId: gone, reason: "counted_by_asking", weight: "note" }],
    });
  });

  it("reads on where its dates mean payment, for one that has moved beyond the period", async () => {
    const given = await books();
    const { provider } = given;
    provider.reading = { ...PLAIN, dates: "paidAt" };
    const moved = await place(given, { paidAt: midnight(9) });
    for (const invoice of provider.invoices) invoice.paidAt = midnight(2);
    await place(given, { paidAt: midnight(10) });
    const before = { window: { from: midnight(20), to: midnight(8) } };
    expect(await prove(given, before)).toMatchObject({ result: "equal", total: { paid: { count: 1 } } });
    // It is on no day: now it is left out.
    provider.unlisted = provider.invoices.filter(({ id }) => id === moved);
    provider.invoices = provider.invoices.filter(({ id }) => id !== moved);
    expect(await prove(given, before)).toMatchObject({
      result: "refused",
      refusals: [expect.stringContaining(moved)],
    });
  });

  it("asks about every invoice when deep, whatever the list calls it", async () => {
    const given = await books();
    await place(given);
    const steps: string[] = [];
    const onProgress = ({ step, done }: { step: string; done: number }) => void steps.push(`${step} ${done}`);
    const pages = [{ collectionId: COLLECTION, pages: 1 }];
    expect(await prove(given, { deep: true, onProgress })).toMatchObject({
      result: "equal",
      basis: { asked: 1, deep: { read: 1, asked: 1, pages } },
    });
    expect(steps).toContain("invoices 1");
    expect(steps.at(-1)).toBe("books 1");
    const unpaid = { ...ITEM, status: "Unpaid", datePaid: null };
    given.provider.invoices.push(...Array.from({ length: 149 }, () => ({ id: randomUUID(), ...unpaid })));
    expect(await prove(given, { deep: true })).toMatchObject({
      result: "equal",
      basis: { asked: 150, deep: { read: 150, asked: 150 } },
    });
  });
});

describe("an item whose id is none", () => {
  it("is named, whatever stands there, beside what else is missing, and can be read again", async () => {
    const given = await books();
    const missing = await place(given, { came: 0 });
    // One is cut in the middle of a character.
    for (const id of ["INV-7", `${"x".repeat(59)}😀😀`, "\0", "\ud83d"])
      given.provider.invoices.push({ id, ...ITEM });
    const { id, result, differences } = await prove(given);
    expect(result).toBe("not_equal");
    expect(differences.map(({ invoiceId, reason }) => [invoiceId, reason])).toEqual([
      [missing, "missing"],
      ...Array(4).fill([null, "id_unusable"]),
    ]);
    expect(differences.filter(({ detail }) => detail.includes("inv-7"))).toHaveLength(1);
    const page = await readCertificatePage(given.db, id, { limit: 10, after: 0 });
    expect(page?.differences).toEqual(differences);
    expect(await readUnprovenDays(given.db, null)).toMatchObject([{ certificateId: id }]);
  });

  it("refuses the certificate where more than are kept name no invoice (G8)", async () => {
    const given = await books();
    const before = { createdAt: PAID_AT, paidAt: midnight(40) };
    given.provider.invoices = Array.from({ length: 1_001 }, (_, n) => ({ id: `INV-${n}`, ...before }));
    expect(await prove(given)).toMatchObject({ result: "refused", refusals: [expect.any(String)] });
  });

  it.each([
    ["on its day in the zone of the books", new Date(midnight(5).getTime() - 1_800_000).toISOString(), 5],
    ["in any period, where its date is of no year that can be", "+275760-09-13T00:00:00Z", 20],
    ["in any period, where its date is to come", "2999-01-01T00:00:00Z", 20],
  ])("counts %s", async (_, datePaid, daysBack) => {
    const given = await books();
    given.source.booksTimeZone = "Africa/Lagos";
    given.provider.invoices.push({ id: "INV-7", ...ITEM, datePaid });
    expect(await prove(given)).toMatchObject({
      result: "not_equal",
      differences: [{ reason: "id_unusable", day: dayOf(midnight(daysBack)) }],
    });
  });
});
