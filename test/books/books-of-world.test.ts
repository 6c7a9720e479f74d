import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { ClosingResult, ShownClosing } from "../../src/operate/month.ts";
import type { Certificate } from "../../src/reconcile/certificate/certificate.ts";
import type { ReconcileResult } from "../../src/reconcile/on-request.ts";
import {
  amountsSum,
  CURRENCIES,
  clockOf,
  groupsBy,
  paymentsOf,
  settlementsOf,
  sumsOf,
  tallyOf,
  totalsOf,
  ZONES,
} from "../support/books-truth.ts";
import { booksWorld, decimal, isOurs, LISTS, type WorldPayment } from "../support/books-world.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { TOKENS } from "../support/two-sources.ts";
import { readXlsx } from "./read-xlsx.ts";
import { rowsOf } from "./report/october.ts";

const YEAR = { from: "2025-12-31", to: "2026-11-01" };
const OCTOBER = { from: "2026-10-01", to: "2026-10-31" };
const COLLECTIONS = ["Term 1", "Term 2", "Term 3"];
const daysOf = ({ from, to }: typeof YEAR) => ["--from", from, "--to", to];

/** One foreign payment is dismissed, one released by mistake, and one of ours changes after its event went out. */
async function decidedWorld() {
  const world = await booksWorld();
  const { payments, run, relay, around } = world;
  const [dismissed, released] = payments.filter(({ collection }) => !(collection in LISTS));
  const corrected = payments.find(({ amount }) => amount === 200002n);
  if (!(dismissed && released && corrected)) throw new Error("the world lacks a payment");
  const of = (id: string) => [id, "--reason", "not ours"];
  expect((await run("quarantine", "dismiss", ...of(dismissed.id))).code).toBe(0);
  expect((await run("quarantine", "release", ...of(released.id), "--yes")).code).toBe(0);
  Object.assign(corrected, { sent: corrected.amount, amount: corrected.amount + 51n });
  await relay.callback({ data: { id: corrected.id } }, { path: `/callbacks/${TOKENS.a}` });
  await expect
    .poll(() =>
      around.query(
        `select (select count(*)::int from publication) as published,
           (select amount::text from invoice where id = $1) as amount`,
        [corrected.id],
      ),
    )
    .toEqual([{ published: payments.filter(isOurs).length + 1, amount: decimal(corrected.amount) }]);
  const json = async <Result>(...words: string[]): Promise<Result> => {
    const { stdout, stderr } = await run(...words, "--json");
    expect(stdout, stderr).not.toBe("");
    return JSON.parse(stdout);
  };
  return { ...world, json, foreign: [dismissed, released], corrected, released };
}

type World = Awaited<ReturnType<typeof decidedWorld>>;

it("certificates, reports, reconcile, match and month are what the provider's own data come to, to the last digit (G10)", async () => {
  const world = await decidedWorld();
  await certificatesAgree(world);
  await reconcileAgrees(world);
  await reportsAgree(world);
  await matchAgrees(world);
  await monthsAgree(world);
});

async function certificatesAgree({ payments, json, run, foreign }: World): Promise<void> {
  const made = await json<Certificate[]>("certify", ...daysOf(YEAR));
  const scopes = made.map(({ source, scope, collections }) => [
    source,
    ...(scope === "collection" ? collections.map(({ name }) => name) : []),
  ]);
  expect(scopes.sort()).toEqual([["a"], ...COLLECTIONS.map((name) => ["a", name]), ["b"]]);
  const tests = payments.filter(({ type }) => type === "Test");
  for (const one of made) {
    const source = one.source as "a" | "b";
    const collection = one.scope === "collection" ? (one.collections[0]?.name ?? "") : undefined;
    const own = paymentsOf(payments, { ...YEAR, source, ...(collection !== undefined && { collection }) });
    const days = groupsBy(own, ({ day }) => day).map(([day, group]) => ({ day, ...totalsOf(group) }));
    expect(one, `${source} ${collection}`).toMatchObject({
      result: own.some(({ sent }) => sent !== undefined) ? "not_equal" : "equal",
      currency: CURRENCIES[source],
      basis: { zone: ZONES[source] },
      total: totalsOf(own),
      days,
      gaps: 0,
      foreign: tallyOf(source === "a" && collection === undefined ? foreign : []),
      test: tallyOf(source === "a" && [undefined, "Term 1"].includes(collection) ? tests : []),
    });
    expect(one.differences.filter(({ reason }) => reason === "foreign")).toMatchObject(
      source === "a" && collection === undefined
        ? ["dismissed by cli:", "released and published"].map((what) => ({
            ...{ weight: "note", detail: expect.stringContaining(what) },
          }))
        : [],
    );
    const table = rowsOf((await run("certificate", "show", one.id, "--csv")).stdout);
    expect(table.filter(({ row }) => row === "day")).toMatchObject(
      days.map(({ day, paid, published }) => ({
        ...{ day, source, collection: collection ?? "", currency: CURRENCIES[source], zone: ZONES[source] },
        ...{ paid: String(paid.count), paid_amount: paid.amount, stored_amount: paid.amount },
        ...{ published: String(published.count), published_amount: published.amount },
      })),
    );
  }
}

/** Each payment is counted once, in its collection. */
async function reconcileAgrees({ payments, json }: World): Promise<void> {
  const results = await json<ReconcileResult[]>("reconcile", ...daysOf(YEAR));
  const told = results.map(({ collectionId, listed, missing, zone }) => [
    collectionId,
    listed,
    missing,
    zone,
  ]);
  const truth = Object.entries(LISTS).map(([collection, id]) => {
    const own = payments.filter((one) => one.collection === collection);
    return [id, own.length, 0, ZONES[collection === "Lagos" ? "b" : "a"]];
  });
  expect(told.sort()).toEqual(truth.sort());
}

async function reportsAgree({ payments, run, foreign, corrected }: World): Promise<void> {
  const folder = await temporaryFolder();
  /** The same from CSV and from XLSX. */
  const report = async (name: string, ...words: string[]) => {
    const files = ["csv", "xlsx"].map((form) => join(folder, `${name}.${form}`));
    for (const file of files)
      expect((await run("report", name, ...daysOf(YEAR), ...words, "--out", file)).code, file).toBe(0);
    const [csv = "", xlsx = ""] = files;
    const rows = rowsOf(await readFile(csv, "utf8"));
    const sheet = readXlsx(await readFile(xlsx));
    const plain = rows.map((row) =>
      Object.fromEntries(Object.entries(row).map(([key, cell]) => [key, cell.replace(/^(sum|count) /, "")])),
    );
    expect(sheet, name).toEqual(plain);
    return rows;
  };
  const ours = paymentsOf(payments, YEAR);
  const inSource = (source: "a" | "b") => ours.filter((one) => one.source === source);
  const place = (source: "a" | "b") => ({ source, currency: CURRENCIES[source], time_zone: ZONES[source] });
  const totals = (["a", "b"] as const).map((source) => ({
    ...{ row: "total", currency: CURRENCIES[source] },
    ...Object.fromEntries(
      Object.entries(amountsSum(inSource(source))).map(([name, amount]) => [name, `sum ${amount}`]),
    ),
  }));
  const countedAt = (one: WorldPayment) => one.paidAt ?? "";
  expect(await report("payments")).toMatchObject([
    ...(["a", "b"] as const).flatMap((source) =>
      inSource(source)
        .toSorted((one, other) => (countedAt(one) < countedAt(other) ? -1 : 1))
        .map((one) => ({
          ...{ row: "payment", invoice_id: one.id, collection: one.collection, day: one.day },
          ...{ paid: clockOf(one.paidAt, source), verdict: "paid", ...place(source), ...amountsSum([one]) },
          ...{ payer: "Ada Obi", message_id: expect.stringMatching(/./) },
        })),
    ),
    ...totals,
  ]);
  for (const [name, keyOf] of [
    ["days", ({ day, collection }: WorldPayment) => ({ day, collection })],
    ["collections", ({ collection }: WorldPayment) => ({ collection })],
    ["methods", ({ collection }: WorldPayment) => ({ method: "Card", collection })],
  ] as const)
    expect(await report(name)).toMatchObject([
      ...(["a", "b"] as const).flatMap((source) =>
        groupsBy(inSource(source), (one) => JSON.stringify(keyOf(one))).map(([key, group]) => ({
          ...JSON.parse(key),
          ...{ payments: String(group.length), ...place(source), ...amountsSum(group) },
        })),
      ),
      ...totals,
    ]);
  expect((await report("payments", "--collection", "Term 3")).slice(-2)[0]).toMatchObject({
    amount: `sum ${amountsSum(paymentsOf(payments, { ...YEAR, collection: "Term 3" })).amount}`,
  });
  const named = (await report("differences")).map(({ day, reason, weight, invoice_id, amount }) =>
    [day, reason, weight, invoice_id, amount].join(" "),
  );
  const undated = payments.filter(({ paidAt }) => paidAt === null);
  const test = payments.filter(({ type }) => type === "Test");
  const says = (reason: string, weight: string) => (one: WorldPayment) =>
    [one.day, reason, weight, one.id, decimal(one.amount)].join(" ");
  expect(named.sort()).toEqual(
    [
      says("amount_differs", "difference")(corrected),
      says("corrected", "note")(corrected),
      ...foreign.map(says("foreign", "note")),
      ...undated.map(says("undated", "note")),
      ...test.map(says("test", "note")),
    ].sort(),
  );
  expect((await readdir(folder)).filter((name) => !/\.(csv|xlsx)$/.test(name))).toEqual([]);
}

/** All but the first, booked on the day itself, with what is no settlement and what nobody here knows. */
async function matchAgrees({ payments, run }: World): Promise<void> {
  const file = join(await temporaryFolder(), "october.csv");
  const [first, ...others] = settlementsOf(paymentsOf(payments, { ...OCTOBER, source: "a" }));
  if (first === undefined) throw new Error("no payments");
  const line = ({ day, id, amount }: typeof first) => `${day},NIP ${id} ADA OBI,${decimal(amount)},`;
  const match = async (...lines: string[]) => {
    await writeFile(file, ["Value Date,Narration,Credit,Debit", ...lines].join("\r\n"));
    const { code, stdout } = await run("match", file, ...daysOf(OCTOBER), "--source", "a", "--json");
    return { code, ...JSON.parse(stdout) };
  };
  const side = (settled: (typeof first)[]) => ({
    sums: settled.length,
    payments: settled.flatMap(({ group }) => group).length,
    sumAmount: decimal(settled.reduce((all, { amount }) => all + amount, 0n)),
  });
  const matched = side(others);
  expect(
    await match(...others.map(line), "2026-10-13,=HYPERLINK(0),1000.05,", "2026-10-14,Charges,,10.00"),
  ).toMatchObject({
    ...{ code: 1, clean: false, timeZone: ZONES.a, currency: CURRENCIES.a },
    figures: {
      states: [
        { state: "matched", lines: others.length, lineAmount: matched.sumAmount, ...matched },
        { state: "bank_only", lines: 1, lineAmount: "1000.05", ...side([]) },
        { state: "books_only", lines: 0, lineAmount: "0.00", ...side([first]) },
      ],
      ...{ others: { count: 1, amount: "-10.00" }, undated: 0, outside: 0, withoutAmount: 0 },
    },
  });
  expect(await match(...others.map(line), line(first))).toMatchObject({ code: 0, clean: true });
}

async function monthsAgree({ payments, json, run, corrected }: World): Promise<void> {
  await json("certify", ...daysOf(OCTOBER));
  const why = ["--accept-differences", "agreed with the school", "--waive-statement", "in cash"];
  expect((await run("month", "close", "2026-10")).stdout).toContain("--accept-differences");
  const { months } = await json<{ months: ClosingResult[] }>("month", "close", "2026-10", ...why);
  for (const source of ["a", "b"] as const) {
    const own = paymentsOf(payments, { ...OCTOBER, source });
    const closing = {
      ...{ source, timeZone: ZONES[source], currency: CURRENCIES[source], all: sumsOf(own) },
      collections: groupsBy(own, ({ collection }) => collection).map(([collection, group]) => ({
        collection,
        ...sumsOf(group),
      })),
    };
    expect(months.find((one) => one.source === source)).toMatchObject({ obstacles: [], closing });
    const shown = await json<{ closings: ShownClosing[] }>("month", "show", "2026-10", "--source", source);
    expect(shown.closings).toMatchObject([{ closing, changes: [], now: closing.all }]);
  }
  expect(months.find(({ source }) => source === "a")?.closing?.accepted?.differences).toMatchObject([
    {
      ...{ day: corrected.day, invoiceId: corrected.id, reason: "amount_differs" },
      ...{ atProvider: decimal(corrected.amount), inEvent: decimal(corrected.sent ?? 0n) },
    },
  ]);
  const { stdout } = await run("month", "show", "2026-10", "--source", "a");
  for (const words of ["agreed with the school", corrected.id]) expect(stdout).toContain(words);
}
