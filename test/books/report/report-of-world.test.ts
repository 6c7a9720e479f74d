import { expect, it } from "vitest";
import { booksWorld, LISTS, type WorldPayment } from "../../support/books-world.ts";
import { rowsOf } from "./october.ts";

const isOurs = ({ type, collection }: WorldPayment) => type === "Live" && collection in LISTS;
const YEAR = ["--from", "2025-12-31", "--to", "2026-11-01"];

it("reports of three collections, two sources and zones are what the provider has, foreign payments apart (G10)", async () => {
  const { payments, sumOf, run } = await booksWorld();
  const ours = payments.filter(isOurs);
  const foreign = payments.filter(({ collection }) => !(collection in LISTS));
  const report = async (name: string, ...options: string[]) =>
    rowsOf((await run("report", name, ...YEAR, ...options)).stdout);
  const totalsOf = (rows: Record<string, string>[]) =>
    rows.filter(({ row }) => row === "total").map(({ currency, amount }) => [currency, amount]);
  const [released, dismissed] = foreign;
  expect((await run("quarantine", "dismiss", dismissed?.id ?? "", "--reason", "not ours")).code).toBe(0);
  expect((await run("certify", "--from", "2026-10-01", "--to", "2026-10-31")).code).toBe(1);

  const truth = [
    ["GBP", `sum ${sumOf((one) => isOurs(one) && one.source === "a").amount}`],
    ["NGN", `sum ${sumOf((one) => isOurs(one) && one.source === "b").amount}`],
  ];
  for (const name of ["payments", "days", "collections", "methods"]) {
    const rows = await report(name);
    expect(totalsOf(rows), name).toEqual(truth);
  }
  const days = (await report("days")).filter(({ row }) => row === "day");
  for (const { source, collection, day, amount } of days)
    expect(amount, `${source} ${collection} ${day}`).toBe(
      sumOf((one) => isOurs(one) && one.source === source && one.day === day && one.collection === collection)
        .amount,
    );
  expect(days).toHaveLength(
    new Set(ours.map(({ source, day, collection }) => `${source} ${day} ${collection}`)).size,
  );

  // A person publishes somebody else's payment all the same: that makes it nobody's here.
  expect(
    (await run("quarantine", "release", released?.id ?? "", "--reason", "by mistake", "--yes")).code,
  ).toBe(0);
  await expect
    .poll(async () =>
      (await report("differences", "--source", "a")).filter(({ reason }) => reason === "foreign"),
    )
    .toHaveLength(2);
  expect(totalsOf(await report("payments"))).toEqual(truth);
});
