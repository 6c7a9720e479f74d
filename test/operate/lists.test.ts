import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { moneyIn } from "../../src/kit/money-text.ts";
import { invoicesByConfirmation } from "../../src/operate/list-invoices.ts";
import { readValue } from "../../src/operate/operations/bad-input.ts";
import { pageFrom, pageInQuery } from "../../src/operate/operations/fields.ts";
import { eventually, toHaveLength } from "../support/eventually.ts";
import { openDatabase } from "../support/log-rows.ts";
import { startRelay, surroundings } from "../support/relay.ts";
import { runCommand, runInProcess } from "../support/run-command.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";

describe("invoice-relay invoices, and invoice by reference", () => {
  it("finds a confirmed invoice by what a customer can say of it", async () => {
    const began = new Date().toISOString();
    const around = await surroundings();
    const environment = around.environment({ COLLECTION_IDS: "none" });
    const relay = await startRelay(environment);
    const id = randomUUID();
    around.provider.invoice(id, invoiceAnswer(id));
    await relay.callback({ data: { id } });
    const published = () => around.query<{ event_id: string }>("select event_id from publication");
    const [publication] = await eventually(published, toHaveLength(1));
    await around.query("update invoice set reference = 'order-42'");
    const [row] = await around.query<{ total: string; collection: string }>(
      "select total_amount::text as total, collection_name as collection from invoice",
    );

    for (const filter of [
      [],
      ["--reference", "order-42"],
      ["--status", "paid"],
      ["--amount", row?.total ?? ""],
      ["--collection", row?.collection ?? ""],
      ["--from", "2020-01-01"],
      ["--confirmed-from", began, "--confirmed-to", "2126-01-01"],
    ]) {
      const { stdout } = await runInProcess(["invoices", "--json", ...filter], environment);
      expect(JSON.parse(stdout), filter.join(" ")).toMatchObject({
        invoices: [
          {
            invoiceId: id,
            reference: "order-42",
            verdict: "paid",
            event: "published",
            eventId: publication?.event_id,
          },
        ],
      });
    }
    for (const filter of [
      ["--reference", "order-43"],
      ["--status", "Unpaid"],
      ["--amount", "1"],
      ["--to", "2020-01-01"],
      ["--confirmed-to", began],
    ])
      expect((await runInProcess(["invoices", ...filter], environment)).stdout).toContain(
        "No confirmed invoice matches",
      );
    const { stdout } = await runCommand(["invoices"], environment);
    expect(stdout).toMatch(
      new RegExp(`^invoice .*\n${id} +order-42 +${moneyIn("NGN", row?.total)} +Paid +paid +published `),
    );

    const shown = await runCommand(["invoice", "order-42"], environment);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining(`Invoice ${id}`) });
    const none = await runCommand(["invoice", "order-43"], environment);
    expect(none).toMatchObject({ code: 3, stderr: expect.stringContaining('the reference "order-43"') });
  });

  it("names the invoices of one reference instead of choosing", async () => {
    const around = await surroundings();
    const ids = [randomUUID(), randomUUID()];
    await around.query(
      `insert into invoice (id, source, status, reference, asked_at, confirmed_at, digest, document)
       select unnest($1::uuid[]), 'default', 'Unpaid', 'order-7', now(), now(), '', '{}'`,
      [ids],
    );
    const { code, stderr } = await runInProcess(["invoice", "order-7"], around.environment());
    expect(code).toBe(2);
    for (const id of ids) expect(stderr).toContain(id);
  });
});

it("a search by confirmation that ends early says where it goes on, week by week", async () => {
  const around = await surroundings();
  const db = openDatabase(around.databaseUrl);
  const terms = { confirmedFrom: "2026-10-01", confirmedTo: "2026-10-31" };
  let weeks = 0;
  for (let cursor: string | null = null; ; weeks += 1) {
    const { cursor: from = null } = readValue(pageInQuery, cursor === null ? {} : { cursor });
    const { end } = await invoicesByConfirmation(db, terms, from, 10);
    cursor = pageFrom({ items: [], next: end }).next;
    if (cursor === null) break;
  }
  expect(weeks).toBe(4);
});

describe("invoice-relay certificate", () => {
  it("lists what was made, and shows one as it was made; exit code 1 unless it is equal", async () => {
    const around = await surroundings();
    const environment = around.environment();
    const id = randomUUID();
    const document = {
      id,
      source: "default",
      result: "refused",
      refusals: ["The list contradicts itself."],
      scope: "source",
      collections: [{ id: randomUUID(), name: "Term 1" }],
      from: "2026-10-01T00:00:00.000Z",
      to: "2026-11-01T00:00:00.000Z",
      madeAt: "2026-11-01T01:00:00.000Z",
      basis: {
        listFirst: "2026-09-01",
        listLast: "2026-11-01",
        lookbackDays: 35,
        zone: "UTC",
        providerTimeZone: "UTC",
        paidStatuses: ["Paid"],
        begunAt: "2026-11-01T00:30:00.000Z",
        pages: 1,
        listed: 0,
        asked: 0,
        deep: false,
        provisional: true,
        firstServedAt: null,
      },
      days: [],
      total: {
        ...Object.fromEntries(
          ["paid", "stored", "published", "missing"].map((name) => [name, { count: 0, amount: "0.00" }]),
        ),
        differences: 0,
      },
      test: { count: 0, amount: "0.00" },
      foreign: { count: 0, amount: "0.00" },
      currency: "NGN",
      gaps: 0,
      differencesInAll: 0,
      differences: [],
    };
    await around.query(
      `insert into certificate (id, source, window_from, window_to, collection_ids, state, finished_at,
        result, gaps, paid, paid_amount, document)
       values ($1, 'default', '2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z', '{}', 'done', now(), 'refused',
         0, 0, 0, $2)`,
      [id, JSON.stringify(document)],
    );
    const list = await runCommand(["certificate", "list"], environment);
    expect(list.stdout).toMatch(new RegExp(`${id} +default +2026-10-01 +2026-10-31 .* refused +0`));
    expect((await runInProcess(["certificate", "list", "--result", "equal"], environment)).stdout).toContain(
      "No certificate matches these filters.",
    );
    const shown = await runCommand(["certificate", "show", id], environment);
    expect(shown.code).toBe(1);
    expect(shown.stdout).toContain("REFUSED: this proves nothing.");
    expect(shown.stdout).toContain("lists of 2026-09-01 to 2026-11-01, read from 2026-11-01T00:30:00.000Z");
    expect(
      JSON.parse((await runInProcess(["certificate", "show", id, "--json"], environment)).stdout),
    ).toEqual(document);
    expect((await runCommand(["certificate", "show", randomUUID()], environment)).code).toBe(3);
  });
});
