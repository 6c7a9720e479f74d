import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Certificate } from "../../src/reconcile/certificate/certificate.ts";
import type { ReconcileResult } from "../../src/reconcile/on-request.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { TOKENS } from "../support/two-sources.ts";
import {
  amountsSum,
  CURRENCIES,
  clockOf,
  groupsBy,
  paymentsOf,
  tallyOf,
  totalsOf,
  ZONES,
} from "./books-truth.ts";
import { booksWorld, decimal, isOurs, LISTS, type WorldPayment } from "./books-world.ts";
import { readXlsx } from "./read-xlsx.ts";
import { rowsOf } from "./report/october.ts";

const YEAR = { from: "2025-12-31", to: "2026-11-01" };
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
  return { ...world, json, foreign: [dismissed, released], corrected };
}

type World = Awaited<ReturnType<typeof decidedWorld>>;

it("certificates, reports and reconcile are what the provider's own data come to, to the last digit (G10)", async () => {
  const world = await decidedWorld();
  await certificatesAgree(world);
  await reconcileAgrees(world);
  await reportsAgree(world);
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
  expect(await report("days")).toMatchObject([
    ...(["a", "b"] as const).flatMap((source) =>
      groupsBy(inSource(source), ({ day, collection }) => JSON.stringify({ day, collection })).map(
        ([key, group]) => ({
          ...JSON.parse(key),
          ...{ payments: String(group.length), ...place(source), ...amountsSum(group) },
        }),
      ),
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
