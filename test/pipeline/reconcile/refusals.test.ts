import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { readingTerms } from "../../../src/pipeline/reconcile/certificate/certificate.ts";
import { compareBooks } from "../../../src/pipeline/reconcile/certificate/compare-books.ts";
import { readClock } from "../../../src/platform/upstreams/upstream-rows.ts";
import { expectGolden } from "../../support/golden.ts";
import { COLLECTION } from "./list-provider.ts";
import { place, prove } from "./prove-period.ts";
import { books } from "./relay-books.ts";

const window = { from: new Date("2026-10-01T00:00:00Z"), to: new Date("2026-11-01T00:00:00Z") };
const period = { first: "2026-08-26", last: "2026-11-02" };
const before = new Date(window.to.getTime() - 1);

it("a certificate is refused where its lists were not whole, or were read before the period was over (G10)", async () => {
  const { db, source } = await books();
  const made = async (changes: object, readings: object) => {
    const reading = {
      ...{ begunAt: window.to.toISOString(), terms: readingTerms(source, [COLLECTION], period), pages: 1 },
      ...{ collections: [], doubts: [], ...readings },
    };
    const lists = { certificateId: randomUUID(), source: source.name, seenSince: window.to };
    const given = { id: randomUUID(), source, window, period, reading, lists };
    const clock = { now: window.to, servedAt: window.from };
    return await compareBooks(db, { ...given, ...clock, ...changes });
  };
  expect(await made({}, {})).toMatchObject({ result: "equal", refusals: [] });
  const said: string[] = [];
  for (const [why, changes, readings] of [
    ["it is not over", { now: before }, {}],
    ["it ended while the lists were read", {}, { begunAt: before.toISOString() }],
    ["nobody served it", { servedAt: null }, {}],
    ["a list contradicts itself", {}, { doubts: ["2026-10-01: it says 5"] }],
  ] as const) {
    const { result, refusals } = await made(changes, readings);
    expect([why, result, refusals.length]).toEqual([why, "refused", 1]);
    said.push(`${why}:\n${refusals}`);
  }
  await expectGolden("refusals", said.join("\n\n"));
});

it("a certificate says when its lists began to be read: before their first page", async () => {
  const given = await books();
  await place(given);
  const pages: Date[] = [];
  given.provider.beforePage = async () => void pages.push((await readClock(given.db, "default")).now);
  const { basis } = await prove(given);
  expect(Date.parse(basis.begunAt)).toBeLessThanOrEqual(pages[0]?.getTime() ?? 0);
});
