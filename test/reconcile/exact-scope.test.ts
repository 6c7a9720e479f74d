import { describe, expect, it } from "vitest";
import type { Certificate } from "../../src/reconcile/certificate/certificate.ts";
import type { ReconcileResult } from "../../src/reconcile/on-request.ts";
import { type BooksWorld, booksWorld, LISTS, type WorldPayment } from "../support/books-world.ts";

const isOurs = ({ type, collection }: WorldPayment) => type === "Live" && collection in LISTS;

async function certified({ run }: BooksWorld, from: string, to: string) {
  const { code, stdout } = await run("certify", "--from", from, "--to", to, "--json");
  const made: Certificate[] = JSON.parse(stdout);
  const of = (source: string, collection?: string) => {
    const found = made.find(
      (one) =>
        one.source === source &&
        (collection === undefined
          ? one.scope === "source"
          : one.scope === "collection" && one.collections[0]?.name === collection),
    );
    if (found === undefined) throw new Error(`no certificate of ${source} ${collection}`);
    return found;
  };
  return { code, made, of };
}

describe("certificates of several collections, sources and zones (G10)", () => {
  it("hold what is theirs to the last digit, day by day; what is nobody's of ours is listed apart", async () => {
    const world = await booksWorld();
    const { sumOf, payments, run } = world;
    const [undecided, dismissed] = payments.filter(({ collection }) => collection === "Somebody else's");

    // A foreign payment waits for a decision: it counts nowhere, and stands in the way of the whole source only.
    const before = await certified(world, "2026-10-01", "2026-10-31");
    const inOctober = ({ day }: WorldPayment) => day.startsWith("2026-10");
    const foreign = sumOf(({ collection }) => collection === "Somebody else's");
    expect(before.of("a")).toMatchObject({
      result: "not_equal",
      currency: "GBP",
      basis: { zone: "Europe/London" },
      foreign,
      test: sumOf(({ type }) => type === "Test"),
    });
    for (const collection of ["Term 1", "Term 2", "Term 3"]) {
      const sum = sumOf((one) => isOurs(one) && inOctober(one) && one.collection === collection);
      const { result, total, days, foreign } = before.of("a", collection);
      expect({ result, ...total, foreign }).toMatchObject({
        ...{ result: "equal", paid: sum, stored: sum, published: sum },
        ...{ missing: { count: 0 }, differences: 0, foreign: { count: 0 } },
      });
      for (const { day, paid } of days)
        expect(paid, day).toEqual(
          sumOf((one) => isOurs(one) && one.day === day && one.collection === collection),
        );
    }
    const ours = sumOf((one) => one.source === "a" && isOurs(one) && inOctober(one));
    expect(before.of("a").total).toMatchObject({ paid: ours, stored: ours, published: ours });
    expect(before.of("b")).toMatchObject({
      result: "equal",
      total: { paid: sumOf((one) => one.source === "b" && inOctober(one)) },
    });

    for (const one of [undecided, dismissed])
      expect((await run("quarantine", "dismiss", one?.id ?? "", "--reason", "not ours")).code).toBe(0);
    const after = await certified(world, "2026-10-01", "2026-10-31");
    expect(after.code).toBe(0);
    const notes = after.of("a").differences.filter(({ reason }) => reason === "foreign");
    expect(notes).toHaveLength(2);
    expect(notes[0]).toMatchObject({ weight: "note", detail: expect.stringContaining("dismissed by cli:") });

    for (const [from, to] of [
      ["2025-12-31", "2026-01-01"],
      ["2026-03-29", "2026-03-30"],
      ["2026-10-25", "2026-11-01"],
    ] as const) {
      const { of } = await certified(world, from, to);
      for (const source of ["a", "b"] as const) {
        const { total, days } = of(source);
        const theirs = (one: WorldPayment) => one.source === source && isOurs(one);
        const within = payments.filter((one) => theirs(one) && one.day >= from && one.day <= to);
        expect(total.paid, `${source} ${from}`).toEqual(sumOf((one) => within.includes(one)));
        expect(days.map(({ day }) => day)).toEqual([...new Set(within.map(({ day }) => day))].sort());
        for (const { day, paid } of days)
          expect(paid, `${source} ${day}`).toEqual(sumOf((one) => theirs(one) && one.day === day));
      }
    }

    // reconcile counts each payment once, in its collection, as the certificate does.
    const { stdout } = await run("reconcile", "--from", "2026-10-01", "--to", "2026-10-31", "--json");
    for (const { source, collectionId, listed, missing, zone } of JSON.parse(stdout) as ReconcileResult[]) {
      const collection = Object.entries(LISTS).find(([, id]) => id === collectionId)?.[0] ?? "";
      const counted = source === "b" ? after.of("b") : after.of("a", collection);
      expect({ collection, listed, missing }).toEqual({
        collection,
        listed: counted.total.paid.count + (collection === "Term 1" ? counted.test.count : 0),
        missing: 0,
      });
      expect(zone).toBe(counted.basis.zone);
    }
  });
});
