import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { bookSourcesOf } from "../../../src/books/book-source.ts";
import { noteMonthChanges } from "../../../src/books/month/month-changes.ts";
import { connect } from "../../../src/database/connect.ts";
import { Secret } from "../../../src/kit/secret.ts";
import { readSettings } from "../../../src/kit/settings.ts";
import type { ClosingResult, KnownMonth, ShownClosing } from "../../../src/operate/month.ts";
import { paymentsOf, sumsOf } from "../../support/books-truth.ts";
import { type BooksWorld, booksWorld, type WorldPayment } from "../../support/books-world.ts";
import { runCli } from "../../support/cli-process.ts";
import { surroundings } from "../../support/relay.ts";
import { TOKENS, twoSources } from "../../support/two-sources.ts";

const October = ["--from", "2026-10-01", "--to", "2026-10-31"];

async function json<Result>(
  world: BooksWorld,
  ...words: string[]
): Promise<{ code: number | null; of: Result }> {
  const { code, stdout, stderr } = await world.run(...words, "--json");
  expect(stdout, stderr).not.toBe("");
  return { code, of: JSON.parse(stdout) };
}

const close = async (world: BooksWorld, ...words: string[]) => {
  const { code, of } = await json<{ months: ClosingResult[] }>(world, "month", "close", "2026-10", ...words);
  const codes = of.months.map(({ source, obstacles }) => [source, obstacles.map((one) => one.code)]);
  return { code, months: of.months, codes: Object.fromEntries(codes) };
};

const shown = async (world: BooksWorld, source: string) =>
  (await json<{ closings: ShownClosing[] }>(world, "month", "show", "2026-10", "--source", source)).of
    .closings;

/** What serve does once a minute. */
async function noteChanges({ around, environment }: BooksWorld): Promise<void> {
  const connection = connect(new Secret(around.databaseUrl), { max: 2, applicationName: "test" });
  const sources = bookSourcesOf(readSettings(environment));
  while ((await noteMonthChanges(connection.db, sources)).more);
  await connection.close();
}

const openAlarms = ({ around }: BooksWorld) =>
  around.query<{ source: string; subject: string; detail: string }>(
    "select source, subject, detail from alarm where name = 'closed_month_changed' and cleared_at is null",
  );

it("a month is closed by what the provider has, and what changes afterwards is an addendum, to the cent", async () => {
  const world = await booksWorld();
  const { payments, run, around } = world;
  const foreign = payments.filter(({ collection }) => collection === "Somebody else's");

  // Everything that is in the way, at once; nothing is written.
  const before = await close(world);
  expect(before).toMatchObject({
    code: 1,
    codes: { a: ["no_certificate", "quarantine", "no_statement"], b: ["no_certificate", "no_statement"] },
  });
  expect(await around.query("select from month")).toEqual([]);
  for (const { id } of foreign) await run("quarantine", "dismiss", id, "--reason", "not ours");
  // A source's collections are proven with the same lists as the source: said once.
  const { stdout } = await run("certify", ...October);
  expect([stdout.match(/^Based on/gm)?.length, stdout.match(/^Certificate/gm)?.length]).toEqual([2, 5]);
  expect((await run("certificate", "list")).stdout).toMatch(
    / c0113c70-0000-4000-8000-0000000000a1 .* all 3 /s,
  );
  const { code, months } = await close(world, "--waive-statement", "paid out in cash");
  expect(code).toBe(0);
  const inOctober = () => sumsOf(paymentsOf(payments, { source: "a", from: "2026-10-01", to: "2026-10-31" }));
  const was = inOctober();
  expect(months.find(({ source }) => source === "a")?.closing).toMatchObject({
    all: was,
    statement: { matchIds: null, waived: "paid out in cash" },
    signature: null,
  });
  expect((await close(world)).codes).toEqual({ a: ["already_closed"], b: ["already_closed"] });
  expect((await run("audit", "--action", "month")).stdout).toContain("paid out in cash");

  // A correction of the provider, a payment that came late, and one of another month: only two are addenda.
  const corrected = payments.find(({ amount }) => amount === 200002n);
  if (corrected === undefined) throw new Error("there is no such payment");
  corrected.amount += 51n;
  const late: WorldPayment = { ...corrected, id: randomUUID(), amount: 1234n, day: "2026-10-20" };
  late.paidAt = "2026-10-20T10:00:00Z";
  const [september] = payments.filter(({ day }) => day === "2026-03-29");
  payments.push(late);
  for (const one of [corrected, late, september])
    await world.relay.callback({ data: { id: one?.id } }, { path: `/callbacks/${TOKENS.a}` });
  const since = months[0]?.closing?.closedAt;
  // A change waits or is noted already: the minute's look of the relay may come first.
  const written = (count: number) =>
    expect
      .poll(() =>
        around.query("select from late_change where changed_at > $1 union all select from month_change", [
          since,
        ]),
      )
      .toHaveLength(count);
  await written(2);
  await noteChanges(world);

  const [closing] = await shown(world, "a");
  expect(closing).toMatchObject({ closing: { all: was }, changed: 2, now: inOctober() });
  const told = (await run("month", "show", "2026-10", "--source", "a")).stdout;
  expect(told).toContain("amount GBP 2,000.02 to GBP 2,000.53, service charge GBP 40.01 to GBP 40.02");
  expect(told).toContain("came: amount GBP 12.34, settleable GBP 12.29");
  const [alarm] = await openAlarms(world);
  expect(alarm).toMatchObject({ source: "a", subject: "2026-10" });
  expect(alarm?.detail).toContain("2 payments of 2026-10 changed after it was closed: GBP +12.85 in all.");
  const { of: list } = await json<{ months: KnownMonth[] }>(world, "month", "list", "--source", "a");
  expect(list.months.find(({ month }) => month === "2026-10")).toMatchObject({
    state: "changed",
    changed: 2,
  });

  // The provider takes its correction back: that is one more. A person has seen to it: reopened, proven anew, closed with the new figures.
  corrected.amount -= 51n;
  await world.relay.callback({ data: { id: corrected.id } }, { path: `/callbacks/${TOKENS.a}` });
  await written(3);
  await noteChanges(world);
  const after = inOctober();
  const twice = (await run("month", "show", "2026-10", "--source", "a")).stdout;
  expect(twice).toContain("Changed since (2 payments, 3 changes listed):");
  expect((await shown(world, "a"))[0]).toMatchObject({ changed: 2, now: after });
  expect((await run("month", "reopen", "2026-10", "--source", "a", "--reason", "two addenda")).code).toBe(0);
  expect(await openAlarms(world)).toEqual([]);
  expect((await close(world, "--source", "a")).codes.a).toContain("changed_since_certificate");
  await run("certify", ...October);
  const again = await close(world, "--source", "a", "--waive-statement", "in cash");
  expect(again).toMatchObject({ code: 0, months: [{ closing: { all: after } }] });
  const both = await shown(world, "a");
  expect(both.map(({ reopenReason, changes }) => [reopenReason, changes.length])).toEqual([
    [null, 0],
    ["two addenda", 3],
  ]);
});

it("a month that cannot be meant is refused in words", async () => {
  const environment = twoSources(await surroundings());
  const run = (...words: string[]) => runCli(words, environment);
  for (const month of ["2026-13", "october", "2026-1"]) {
    const { code, stderr } = await run("month", "close", month);
    expect([code, stderr]).toEqual([2, expect.stringContaining("should be a month such as 2026-10")]);
  }
  const future = await run("month", "close", "2199-01");
  expect([future.code, future.stderr]).toEqual([2, expect.stringContaining("has not begun")]);
  const running = new Date().toISOString().slice(0, 7);
  const now = await run("month", "close", running, "--source", "b");
  expect([now.code, now.stdout]).toEqual([1, expect.stringContaining("month_not_over")]);
  expect((await run("month", "close", "2026-10", "--source", "c")).code).toBe(3);
  expect((await run("month", "show", "2026-10")).code).toBe(3);
  expect((await run("month", "reopen", "2026-10", "--reason", "none")).code).toBe(3);
  expect((await run("month", "reopen", "2026-10")).code).toBe(2);
});
