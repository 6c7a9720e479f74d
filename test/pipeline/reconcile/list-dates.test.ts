import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  countOn,
  includedDays,
  type ListDates,
  type ListPeriod,
  meaningOfDates,
  type PerDay,
  requestFor,
} from "../../../src/pipeline/reconcile/list/list-dates.ts";
import { findChangedDays } from "../../../src/pipeline/reconcile/list/listed-rows.ts";
import { addDays } from "../../../src/platform/values/time.ts";

const FIRST = "2026-09-01";
const DAYS = 38;
const PERIOD = { first: FIRST, last: addDays(FIRST, DAYS - 1) };

const day = (n: number) => addDays(FIRST, n);

/** What a list with these payments a day counts, whose days mean `dates`. */
const countBy =
  (perDay: PerDay, dates: ListDates) =>
  async (requested: ListPeriod): Promise<number> =>
    countOn(perDay, includedDays(requested, dates));

const dates = fc.record({
  by: fc.constantFrom("created_at" as const, "paid_at" as const),
  zone: fc.constantFrom("UTC", "Africa/Lagos"),
  ends: fc.constantFrom("both" as const, "first" as const, "last" as const, "neither" as const),
});

const perDay = fc
  .array(fc.integer({ min: 0, max: 400 }), { minLength: DAYS, maxLength: DAYS })
  .map((counts) => new Map(counts.map((count, n) => [day(n), count])));

describe("what the days of a list mean", () => {
  it("is undone by what is requested: the list includes exactly the days that are wanted", () => {
    fc.assert(
      fc.property(dates, (one) => {
        expect(includedDays(requestFor(PERIOD, one), one)).toEqual(PERIOD);
      }),
    );
  });

  it("is what its count agrees with", async () => {
    const requested = { first: day(3), last: day(30) };
    const stored = (_: Pick<ListDates, "by" | "zone">) => new Map([3, 10, 30].map((n) => [day(n), 2 ** n]));
    const meaning = (count: number | null) =>
      meaningOfDates(requested, count, ["UTC"], async (by) => stored(by));
    const [first, middle, last] = [2 ** 3, 2 ** 10, 2 ** 30];
    expect(await meaning(first + middle + last)).toEqual({ by: "created_at", zone: "UTC", ends: "both" });
    expect(await meaning(first + middle)).toMatchObject({ ends: "first" });
    expect(await meaning(middle + last)).toMatchObject({ ends: "last" });
    expect(await meaning(middle)).toMatchObject({ ends: "neither" });
    expect(await meaning(null)).toBeNull();
    expect(await meaning(2 * (first + middle + last))).toBeNull();
  });

  it("is found though some payments came since it was read", async () => {
    const stored = async ({ by }: Pick<ListDates, "by">) =>
      new Map([[day(10), by === "paid_at" ? 1_000 : 900]]);
    expect(await meaningOfDates(PERIOD, 1_005, ["UTC"], stored)).toMatchObject({ by: "paid_at" });
    expect(await meaningOfDates(PERIOD, 1_100, ["UTC"], stored)).toBeNull();
  });
});

describe("the days that a list counts otherwise than they are stored", () => {
  it("are found, whichever they are, in few requests (G12)", async () => {
    await fc.assert(
      fc.asyncProperty(
        perDay,
        dates,
        fc.array(fc.tuple(fc.nat(DAYS - 1), fc.integer({ min: -3, max: 3 })), { maxLength: 4 }),
        async (stored, meaning, changes) => {
          const listed = new Map(stored);
          for (const [n, by] of changes)
            listed.set(day(n), Math.max(0, (listed.get(day(n)) ?? 0) + Math.abs(by)));
          let requests = 0;
          const count = (requested: ListPeriod) => {
            requests += 1;
            return countBy(listed, meaning)(requested);
          };
          const found = await findChangedDays(PERIOD, { dates: meaning, perDay: stored, count });
          const changed = [...listed].filter(([on, paid]) => paid !== stored.get(on)).map(([on]) => on);
          for (const on of changed)
            expect(found?.some(({ first, last }) => first <= on && on <= last)).toBe(true);
          for (const { first, last } of found ?? [])
            expect(changed.some((on) => first <= on && on <= last)).toBe(true);
          expect(requests).toBeLessThanOrEqual(1 + changed.length * Math.ceil(Math.log2(DAYS)));
        },
      ),
    );
  });

  it("cannot be found where the list does not count, or counts a part as more than the whole", async () => {
    const given = { dates: { by: "created_at", zone: "UTC", ends: "both" } as const, perDay: new Map() };
    expect(await findChangedDays(PERIOD, { ...given, count: async () => null })).toBeNull();
    let count = 1_000;
    expect(await findChangedDays(PERIOD, { ...given, count: async () => count++ })).toBeNull();
  });
});
