import { expect, it } from "vitest";
import { DAY_MS } from "../../src/platform/values/time.ts";
import { runCli } from "../support/cli-process.ts";
import { eventually, toEqual } from "../support/eventually.ts";
import { addCallback, addConfirmation, addEvents, addInvoice } from "../support/log-rows.ts";
import { startHarness, startRelay } from "../support/relay.ts";

it("PERSONAL_DATA_RETENTION blanks what is older as erase does, in the retention pass; what is younger or open stays", async () => {
  const harness = await startHarness();
  const [old = "", young = "", open = ""] = (await addEvents(harness, 3)).map(({ invoiceId }) => invoiceId);
  for (const [id, columns] of [
    [old, {}],
    [young, { settled_at: new Date() }],
    [open, { state: "dead" }],
  ] as const) {
    await addInvoice(harness, { id, document: '{"payerName": "Ada Obi"}' });
    await addConfirmation(harness, {
      invoice_id: id,
      settled_at: new Date(Date.now() - 91 * DAY_MS),
      ...columns,
    });
  }
  await addCallback(harness, { invoice_ids: [old], received_at: new Date() });
  const legible = () =>
    harness.query(
      `select invoice.id, invoice.document::text like '%Ada Obi%' as invoice
       from invoice join event on event.invoice_id = invoice.id and event.payload like '%Ada Obi%'
       order by array_position($1::uuid[], invoice.id)`,
      [[old, young, open]],
    );
  const all = [old, young, open].map((id) => ({ id, invoice: true }));

  const kept = { COLLECTION_IDS: "none" };
  const environment = harness.environment({ ...kept, PERSONAL_DATA_RETENTION: "90d" });
  const { stdout } = await runCli(["retention", "--json"], harness.environment(kept));
  expect(JSON.parse(stdout).personalData).toBeNull();
  expect(await legible()).toEqual(all);

  await startRelay(environment);
  await eventually(legible, toEqual(all.slice(1)));
  expect(await harness.query("select erased_at is not null as erased from callback")).toEqual([
    { erased: true },
  ]);
  const audited = `select actor, (detail->>'invoices')::int as invoices from audit_entry
    where action = 'retention.personal_data'`;
  await eventually(() => harness.query(audited), toEqual([{ actor: "relay", invoices: 1 }]));
});
