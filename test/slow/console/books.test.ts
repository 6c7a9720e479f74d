import { randomUUID } from "node:crypto";
import { beforeAll, expect, it } from "vitest";
import { noteMonthChanges } from "../../../src/books/month/month-changes.ts";
import { connect } from "../../../src/database/connect.ts";
import type { Database } from "../../../src/database/tables.ts";
import { Secret } from "../../../src/kit/secret.ts";
import { buildLedger } from "../../../src/ledger/build.ts";
import { FIXED_AMOUNT, OPEN_AMOUNT } from "../../sandbox/provider/service-fixture.ts";
import { addPayments, checkDueLedger } from "../../support/ledgered-rows.ts";
import { PATIENCE_MS } from "../../support/patience-ms.ts";
import { NAMES } from "./console-world.ts";
import { inProvidersBook } from "./full-house.ts";
import { problemsOf } from "./inspect.ts";
import { DESKTOP, looksOn, type Operator, PHONE } from "./operator.ts";
import { standHere } from "./stand.ts";

// A month's certificate of its first hour after is provisional, and closes nothing.
const BEGUN = new Date(`${new Date(Date.now() - 2 * 3_600_000).toISOString().slice(0, 7)}-01T00:00:00Z`);
const LAST_DAY = new Date(BEGUN.getTime() - 86_400_000).toISOString().slice(0, 10);
const MONTH = LAST_DAY.slice(0, 7);
const TITLE = new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" }).format(
  new Date(LAST_DAY),
);

const BOOKS = [
  { name: "default", zone: "UTC", currency: "NGN", collectionIds: [OPEN_AMOUNT], paidStatuses: ["Paid"] },
];

const stand = standHere();
let person: Operator;
/** Paid in the month before this one: a payment of ours, and one of a collection that is not. */
const [paid, foreign] = [randomUUID(), randomUUID()];
beforeAll(async () => {
  const { world } = stand;
  const at = `${LAST_DAY}T10:00:00Z`;
  const amount = "1234.50";
  for (const [id, collectionId, verdict] of [
    [paid, OPEN_AMOUNT, "paid"],
    [foreign, FIXED_AMOUNT, "quarantined"],
  ]) {
    const invoices = [{ id, createdAt: at, paidAt: at, amount }];
    await world.service.control("POST", "/invoices", { collectionId, invoices });
    await world.callback({ data: { id } });
    await world.until("select verdict from confirmation where invoice_id = $1", [id], [{ verdict }]);
  }
  person = await stand.person("operate");
});

const PATIENCE = { timeout: PATIENCE_MS, interval: 500 };

/** What serve does by itself, in a minute or so. */
async function atOnce(work: (db: Database) => Promise<unknown>): Promise<void> {
  const connection = connect(new Secret(stand.world.databaseUrl), { max: 2, applicationName: "test" });
  await work(connection.db).finally(() => connection.close());
}

/** The page in each look: axe finds nothing, and nothing is cut off. */
async function look(name: string): Promise<void> {
  const { page } = person;
  for (const { name: look, viewport, colorScheme } of looksOn({ desktop: DESKTOP, phone: PHONE })) {
    if (viewport) await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await person.keep(`books-${name}-${look}`);
    expect(await problemsOf(page), `${name}, ${look}`).toEqual([]);
  }
  await page.setViewportSize(DESKTOP.viewport);
}

it("a month is closed from its page: what is in the way, its cures, a waived statement; and reopened", async () => {
  const { page } = person;
  const { world } = stand;
  await person.visit("Completeness");
  await page.getByRole("table", { name: `${TITLE} open` }).waitFor();
  await page.getByRole("link", { name: TITLE }).click();
  await page.waitForURL(`**/console/completeness/${MONTH}`);
  const close = page.getByRole("button", { name: `Close ${MONTH} of default` });
  await close.click();
  const obstacles = page.getByRole("list", { name: `In the way of closing ${MONTH}` }).getByRole("listitem");
  await obstacles.filter({ hasText: foreign }).getByRole("link", { name: "Open the quarantine" }).waitFor();
  await obstacles.getByRole("link", { name: "Match a bank statement" }).waitFor();
  await look("obstacles");
  expect(await world.query("select from month")).toEqual([]);

  await world.api("POST", "/quarantine/dismiss", { ids: [foreign], reason: "it is not ours" });
  await page.getByRole("button", { name: "Certify" }).click();
  await page.getByText("Equal: every payment of the period came through.").waitFor();
  await page.getByLabel("Close without a bank statement, because").fill("settled in one sum");
  await close.click();
  await page.getByText("Nothing is in the way: 1 payment, in all").waitFor();
  await look("clear");
  expect(await world.query("select from month")).toEqual([]);
  await page.getByRole("button", { name: "Close it now" }).click();
  const main = page.getByRole("main");
  await main.getByText(`by admin:${NAMES.operate}`).waitFor();
  await main.getByText("waived: settled in one sum").waitFor();
  await main.getByText("UNSIGNED").waitFor();
  const sums = page.getByRole("table", { name: "Its sums" });
  await sums.getByRole("columnheader", { name: "Amount, NGN" }).waitFor();
  await sums.getByRole("row", { name: "All, as closed 1 1,234.50" }).waitFor();

  // The provider's book changes behind it.
  await inProvidersBook(
    world,
    `update collection_service.invoice
     set amount = amount + 100, total_amount = total_amount + 100, modified_at = now() where id = $1`,
    [paid],
  );
  await world.callback({ data: { id: paid } });
  await world.until(
    `select exists (select from late_change, month where changed_at > closed_at)
       or exists (select from month_change) as written`,
    [],
    [{ written: true }],
  );
  await atOnce((db) => noteMonthChanges(db, BOOKS));
  expect(await world.query("select count(*)::int as n from month_change")).toEqual([{ n: 1 }]);
  await person.open(`completeness/${MONTH}`);
  await person.settle();
  await page.getByRole("heading", { name: "Addendum: 1 payment changed since" }).waitFor();
  await sums.getByRole("row", { name: "With the addendum 1 1,334.50" }).waitFor();
  await page.getByText("changed since", { exact: true }).waitFor();
  await page.getByRole("row").getByText("amount was 1,234.50, is 1,334.50").waitFor();
  await look("changed");

  await page.getByRole("button", { name: `Reopen ${MONTH} of default` }).click();
  await person.confirm("Reopen", "a correction of the provider");
  await main.getByText(": a correction of the provider").waitFor();
  await close.waitFor();
  await look("reopened");
  expect(person.complaints).toEqual([]);
});

it("a statement is matched from its page: what is refused names the fields, what was left out is told", async () => {
  const { page } = person;
  await person.open("completeness/statements");
  const upload = async (text: string) => {
    const file = { name: "=HYPERLINK(0).csv", mimeType: "text/csv", buffer: Buffer.from(text) };
    await page.getByLabel("Statement (CSV)").setInputFiles(file);
    await page.getByRole("button", { name: "Match", exact: true }).click();
  };
  await upload(`When,What,How much\n${LAST_DAY},NIP <b>ADA</b>,5\n`);
  await page.getByText("--date-column").first().waitFor();
  await look("statement-refused");
  // The browser tells of every answer that refuses.
  expect(person.complaints.splice(0)).toEqual([expect.stringContaining("400 (Bad Request)")]);
  await page.getByLabel("Column of dates").fill("When");
  await page.getByLabel("Column of what came in").fill("How much");
  await page.getByLabel("Only lines with").fill("NIP");
  await upload(`When,What,How much\n${LAST_DAY},NIP <b>ADA</b>,5\n${LAST_DAY},Rent,7\n`);
  const main = page.getByRole("main");
  await main.getByText('When, How much, only lines with "NIP"').waitFor();
  await main.getByText("lines that are not settlements (NGN 7.00 in all): 1").waitFor();
  await page.getByRole("table", { name: "Lines and sums that are left over" }).waitFor();
  await look("statement");
  expect(await page.getByText("ADA").count()).toBe(0);
  expect(person.complaints).toEqual([]);
});

it("a month that is not over, and what a reader may not do, are said", async () => {
  await using reader = await stand.person("read");
  await reader.open("completeness/2100-01");
  await reader.page.getByText("It cannot be closed.").waitFor();
  await reader.open(`completeness/${MONTH}`);
  await reader.page.getByText("To close a month takes a token of role operate.").waitFor();
  expect(await reader.page.getByRole("button", { name: /Reopen|Close/ }).count()).toBe(0);
});

it("the ledger is shown with its trees, its last check, and whether anything is signed; a payment, whether it is in", async () => {
  const { page } = person;
  const { world } = stand;
  await expect
    .poll(async () => {
      await atOnce((db) => buildLedger(db));
      return await world.query("select from ledger where size > 0");
    }, PATIENCE)
    .toHaveLength(2);
  await world.query("update ledger set check_at = clock_timestamp() where source = '*'");
  await atOnce(checkDueLedger);
  await person.open("completeness");
  await person.settle();
  const ledger = page.getByRole("region", { name: "Ledger" });
  await ledger.getByText("unsigned: no LEDGER_SIGNING_KEY").waitFor();
  await ledger.getByText("consistent with itself").waitFor();
  expect(await ledger.getByRole("table").getByRole("row").count()).toBe(3);
  await look("ledger");
  await person.open(`payments/${paid}`);
  await person.settle();
  await page
    .getByRole("region", { name: "In the ledger" })
    .getByText(/^\d+ of \d+ rows$/)
    .waitFor();
  await look("payment");
  expect(person.complaints).toEqual([]);
});

it("the ledger section names what its check found, of each source", async () => {
  const { page } = person;
  const { world } = stand;
  for (const source of ["default", "shop"]) await addPayments(world, 12, { from: new Date(), source });
  await expect
    .poll(async () => {
      await atOnce((db) => buildLedger(db));
      return await world.query("select from ledger where size > 0");
    }, PATIENCE)
    .toHaveLength(3);
  await world.query(
    "do $do$ begin set local session_replication_role = replica; update event set collection_name = 'Water'; end $do$",
  );
  await world.query("update ledger set check_at = clock_timestamp(), checked = null where source = '*'");
  await atOnce(checkDueLedger);
  await person.open("completeness");
  await person.settle();
  const ledger = page.getByRole("region", { name: "Ledger" });
  await ledger.getByText(/^not as the ledger has it: \d+$/).waitFor();
  for (const source of ["default", "shop"])
    await ledger
      .getByText(new RegExp(`^${source}: event .* changed \\(collection_name\\)`))
      .first()
      .waitFor();
  // Twenty are named.
  await ledger.getByText(/^and \d+ more, which invoice-relay ledger verify names$/).waitFor();
  await look("ledger-found");
  // Whoever may read only sees which row of a payment it is.
  const [event] = await world.query<{ id: string }>("select id from event where invoice_id = $1", [paid]);
  await using reader = await stand.person("read");
  await reader.open(`payments/${paid}`);
  await reader.page
    .getByRole("region", { name: "In the ledger" })
    .getByText(`event ${event?.id} changed (collection_name)`)
    .waitFor();
  expect(person.complaints).toEqual([]);
});
