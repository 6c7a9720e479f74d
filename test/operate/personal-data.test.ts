import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { DAY_MS } from "../../src/kit/time.ts";
import { eraseOutdated } from "../../src/operate/erase.ts";
import { runCli } from "../support/cli-process.ts";
import { openDatabase } from "../support/database.ts";
import { eventually, toEqual } from "../support/eventually.ts";
import { startHarness, startRelay } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";

describe("PERSONAL_DATA_RETENTION", () => {
  it("blanks what is older as erase does, in the retention pass; what is younger or open stays", async () => {
    const harness = await startHarness();
    const kept = { COLLECTION_IDS: "none" };
    const relay = await startRelay(harness.environment(kept));
    const [old, young, open] = [randomUUID(), randomUUID(), randomUUID()];
    for (const id of [old, young, open]) {
      harness.provider.invoice(id, invoiceAnswer(id));
      await relay.callback({ data: { id } });
    }
    await vi.waitFor(() => expect(harness.sns.messages()).toHaveLength(3));
    await vi.waitFor(async () => expect(await harness.query("select 1 from outbox")).toEqual([]));
    await relay.stop();
    await harness.query(
      "update confirmation set settled_at = now() - interval '91 days' where invoice_id <> $1",
      [young],
    );
    await harness.query("update confirmation set state = 'dead', dismissed_at = null where invoice_id = $1", [
      open,
    ]);
    const legible = async () =>
      await harness.query(
        `select invoice.id, invoice.document::text like '%Ada Obi%' as invoice,
          event.payload like '%Ada Obi%' as event
         from invoice join event on event.invoice_id = invoice.id where event.payload like '%Ada Obi%'
         order by array_position($1::uuid[], invoice.id)`,
        [[old, young, open]],
      );
    const all = { invoice: true, event: true };

    await runCli(["retention"], harness.environment(kept));
    expect(await legible()).toHaveLength(3);
    const environment = harness.environment({ ...kept, PERSONAL_DATA_RETENTION: "90d" });
    const dry = await runCli(["retention", "--dry-run", "--json"], environment);
    expect(JSON.parse(dry.stdout)).toMatchObject({ personalData: { invoices: 1 } });
    expect(await legible()).toHaveLength(3);
    // A process that is asked to end leaves all of it to the next.
    const asked = { db: openDatabase(harness.databaseUrl), actor: "relay", ageMs: 90 * DAY_MS };
    expect(await eraseOutdated({ ...asked, stop: AbortSignal.abort() })).toMatchObject({ invoices: 0 });
    expect(await legible()).toHaveLength(3);

    await startRelay(environment);
    await vi.waitFor(async () =>
      expect(await legible()).toEqual([
        { id: young, ...all },
        { id: open, ...all },
      ]),
    );
    expect(
      await harness.query(
        "select erased_at is not null as erased from callback where $1 = any(invoice_ids)",
        [old],
      ),
    ).toEqual([{ erased: true }]);
    // It is written once all is blanked.
    await eventually(
      () =>
        harness.query(
          `select actor, (detail->>'invoices')::int as invoices from audit_entry
          where action = 'retention.personal_data'`,
        ),
      toEqual([{ actor: "relay", invoices: 1 }]),
    );
    const { stdout } = await runCli(["retention", "--json"], environment);
    expect(JSON.parse(stdout)).toMatchObject({ personalData: { invoices: 0, more: false } });
  });
});
