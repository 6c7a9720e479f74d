import { randomInt, randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect } from "vitest";
import type { Certificate } from "../../src/reconcile/certificate/certificate.ts";
import { certify } from "../../src/reconcile/certificate/certify.ts";
import { HONEST, ListWorld, type Manner, type WorldInvoice } from "./list-world.ts";
import { type Place, placePayment } from "./place-payment.ts";
import { type Books, books, DAY_MS } from "./relay-books.ts";

/** HOSTILE_SEED=<number> plays a run again. */
const SEED = Number(process.env.HOSTILE_SEED ?? randomInt(2 ** 31));
const RELAYS = 12;
const SIDE_BY_SIDE = 4;

const midnight = (daysBack: number) => new Date(Math.floor(Date.now() / DAY_MS - daysBack) * DAY_MS);
const WINDOW = { from: midnight(2), to: midnight(1) };

/**
 * A relay that has lived through one day: seven payments around it are complete, and one is as far as it is
 * said.
 */
interface Relay {
  given: Books;
  source: string;
  invoices: WorldInvoice[];
  victim: string | null;
  /** Some table of the relay says that the victim is paid. */
  knows: boolean;
}

async function relayWith(given: Books, victim: Place | null): Promise<Relay> {
  const source = `merchant-${randomUUID()}`;
  await given.query("insert into source (name, first_served_at) values ($1, now() - interval '30 days')", [
    source,
  ]);
  const provider = { invoices: [] as WorldInvoice[] };
  const world = { query: given.query, source: { ...given.source, name: source }, provider };
  const hours = [-1, 0, 3, 9, 15, 23.9, 24.5];
  for (const [n, hour] of hours.entries()) {
    const paidAt = new Date(WINDOW.from.getTime() + hour * 3_600_000);
    const createdAt = new Date(paidAt.getTime() - n * 2 * 3_600_000);
    const test = { type: "Test", came: 3, outbox: "state = 'held'" } as const;
    await placePayment(world, { paidAt, createdAt, amount: `${n}.10`, ...(n === 3 ? test : {}) });
  }
  for (let n = 0; n < 3; n += 1)
    provider.invoices.push({
      id: randomUUID(),
      createdAt: new Date(WINDOW.from.getTime() + n * 3_600_000),
      paidAt: null,
      amount: "9.00",
      type: "Live",
      ...(n === 2 ? { status: "Invalidated" } : {}),
    });
  if (victim === null) return { given, source, invoices: provider.invoices, victim: null, knows: false };
  const paidAt = new Date(WINDOW.from.getTime() + 13 * 3_600_000);
  const id = await placePayment(world, { paidAt, ...victim });
  return { given, source, invoices: provider.invoices, victim: id, knows: (victim.came ?? 4) >= 2 };
}

async function prove({ given, source, invoices, victim }: Relay, manner: Manner, seed: number) {
  const provider = new ListWorld(invoices, manner, victim, seed);
  const [certificate] = await certify(given.context, {
    source: { ...given.source, name: source, provider, lookbackMs: DAY_MS / 2 },
    window: WINDOW,
    collectionId: null,
    signal: new AbortController().signal,
  });
  return { certificate: certificate as Certificate, shown: provider.shown };
}

const either = <Value>(...values: Value[]) => fc.constantFrom(...values);

/** One way each to use what the interface leaves open. */
const freedoms: fc.Arbitrary<Partial<Manner>> = fc.oneof(
  ...[
    fc.record({ datesMean: either<Manner["datesMean"]>("creation", "payment") }),
    fc.record({ zoneHours: fc.integer({ min: -12, max: 14 }) }),
    fc.record({ includesFirst: fc.boolean(), includesLast: fc.boolean() }),
    fc.record({ hidesTest: fc.constant(true) }),
    fc.record({ order: either<Manner["order"]>("newest", "oldest", "id") }),
    fc.record({ cap: fc.integer({ min: 1, max: 120 }), tellsPageSize: fc.boolean() }),
    fc.record({ count: either<Manner["count"]>("missing", "zero past the end") }),
    fc.record({ next: fc.constant<Manner["next"]>("missing") }),
    fc.record({ status: either<Manner["status"]>("missing", "upper case") }),
    fc.record({ dates: either<Manner["dates"]>("missing", "empty") }),
    fc.record({ amounts: fc.constant<Manner["amounts"]>("missing") }),
    fc.record({ pastTheEnd: either<Manner["pastTheEnd"]>("not found", "empty") }),
    fc.record({ statusFilter: fc.constant<Manner["statusFilter"]>("ignored") }),
    fc.record({ typeFilter: fc.constant<Manner["typeFilter"]>("ignored") }),
    fc.record({ dateFilter: fc.constant<Manner["dateFilter"]>("ignored") }),
    fc.record({ joins: fc.integer({ min: 2, max: 9 }) }),
  ],
);

/** Anything at all. */
const manners: fc.Arbitrary<Manner> = fc.record({
  datesMean: either<Manner["datesMean"]>("creation", "payment"),
  zoneHours: fc.integer({ min: -12, max: 14 }),
  includesFirst: fc.boolean(),
  includesLast: fc.boolean(),
  hidesTest: fc.boolean(),
  order: either<Manner["order"]>("newest", "oldest", "id"),
  cap: fc.integer({ min: 4, max: 12 }),
  tellsPageSize: fc.boolean(),
  count: either<Manner["count"]>(
    "told",
    "told",
    "missing",
    "zero past the end",
    "of the page",
    "one too many",
    "one too few",
  ),
  next: either<Manner["next"]>("told", "told", "missing", "never", "always"),
  status: either<Manner["status"]>("told", "missing", "upper case"),
  dates: either<Manner["dates"]>("told", "missing", "empty", "garbage", "future"),
  amounts: either<Manner["amounts"]>("told", "missing"),
  pastTheEnd: either<Manner["pastTheEnd"]>("empty", "not found", "last page"),
  statusFilter: either<Manner["statusFilter"]>("kept", "kept", "ignored", "shows nothing"),
  typeFilter: either<Manner["typeFilter"]>("kept", "ignored"),
  dateFilter: either<Manner["dateFilter"]>("kept", "kept", "ignored", "shows nothing"),
  from: fc.integer({ min: 1, max: 4 }),
  pages: either<Manner["pages"]>("whole", "whole", "empty", "repeated", "one short"),
  shuffles: either(false, false, true),
  leaves: either(0, 0, 0, 1, 2, 5),
  joins: either(0, 0, 0, 1, 3),
  shownIn: either<Manner["shownIn"]>("as asked", "Live", "Test", "any"),
});

/** How far the victim came: paid at the provider, and never accepted on its topic. */
const VICTIMS: Place[] = [
  { came: 0 },
  { came: 1, confirmation: "state = 'due', verdict = 'pending'" },
  { came: 2 },
  { came: 3 },
  { came: 3, outbox: "state = 'dead'" },
  { came: 2, confirmation: "verdict = 'quarantined'" },
  // Neither Live nor Test.
  { came: 2, type: "Production", confirmation: "state = 'due', verdict = 'pending'" },
  { came: 3, type: null, outbox: "state = 'held'" },
  // Erased, and called Test by hand.
  { came: 2, edited: "type = 'Test', erased_at = now(), document = '{}'" },
];

const isNamed = ({ differences }: Certificate, id: string) => differences.some((one) => one.invoiceId === id);

/** @param lists how many are made, in all. */
export async function noListFoolsTheCertificate(lists: number): Promise<void> {
  process.stdout.write(`hostile lists: HOSTILE_SEED=${SEED}\n`);
  const given = await books();
  let seen = 0;
  const waiting = Array.from({ length: RELAYS }, (_, n) => n);
  const checks = async () => {
    for (let n = waiting.shift(); n !== undefined; n = waiting.shift()) {
      const relay = await relayWith(given, VICTIMS[n % VICTIMS.length] ?? null);
      await fc.assert(
        fc.asyncProperty(manners, fc.nat(), async (manner, dice) => {
          const { certificate, shown } = await prove(relay, manner, dice);
          if (!relay.knows && !shown.has(relay.victim ?? "")) return;
          seen += 1;
          expect(certificate.result).not.toBe("equal");
          if (certificate.result === "not_equal") expect(isNamed(certificate, relay.victim ?? "")).toBe(true);
        }),
        { seed: SEED + n, numRuns: Math.ceil(lists / RELAYS) },
      );
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, checks));
  // Most lists do show it: otherwise this proves little.
  expect(seen).toBeGreaterThan(lists / 2);
}

/** @param lists how many are made, in all. */
export async function honestListsAreEqual(lists: number): Promise<void> {
  process.stdout.write(`honest lists: HOSTILE_SEED=${SEED}\n`);
  const given = await books();
  const checks = async (_: unknown, n: number) => {
    const relay = await relayWith(given, null);
    await fc.assert(
      fc.asyncProperty(freedoms, fc.nat(), async (freedom, dice) => {
        const { certificate } = await prove(relay, { ...HONEST, ...freedom }, dice);
        expect(certificate.refusals).toEqual([]);
        expect(certificate.differences.filter(({ weight }) => weight !== "note")).toEqual([]);
        expect(certificate).toMatchObject({
          result: "equal",
          total: { paid: { count: 4 }, stored: { count: 4 }, published: { count: 4 } },
          test: { count: 1 },
        });
      }),
      { seed: SEED + n, numRuns: Math.ceil(lists / SIDE_BY_SIDE) },
    );
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }).map(checks));
}
