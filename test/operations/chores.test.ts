import { expect, it } from "vitest";
import { checkErased, eraseInvoice } from "../../src/operations/erase.ts";
import { doChores } from "../../src/operations/retention.ts";
import { openDatabase } from "../support/database.ts";
import { addCallback, addConfirmation, withDatabase } from "../support/log-rows.ts";

it("a chore that fails stops no other; a person is told after a while, until any process has done it (G13)", async () => {
  const { harness, db } = await withDatabase();
  const alarms = () => harness.query("select subject, cleared_at is null as open from alarm order by id");
  const done: string[] = [];
  const broken = {
    held_events: () => Promise.reject(new Error("no room")),
    partitions: async () => "this database user may not make one",
    quiet_alarms: async () => done.push("quiet_alarms"),
  };
  expect(await doChores(db, broken)).toEqual({
    failed: [
      { chore: "held_events", error: "no room" },
      { chore: "partitions", error: "this database user may not make one" },
    ],
    bugs: [{ chore: "held_events", error: "no room", stack: expect.stringContaining("chores.test.ts:") }],
    failures: 1,
    alarms: { raised: [], cleared: [] },
  });
  expect(done).toEqual(["quiet_alarms"]);
  await harness.query("update failing_chore set failing_since = now() - interval '16 minutes'");
  const raised = [{ name: "maintenance_failing", source: "", subject: "held_events" }];
  expect(await doChores(db, broken)).toMatchObject({ failures: 2, alarms: { raised } });
  expect(await alarms()).toEqual([{ subject: "held_events", open: true }]);
  const elsewhere = await doChores(openDatabase(harness.databaseUrl), { held_events: async () => [] });
  expect(elsewhere).toMatchObject({ failed: [], alarms: { cleared: [{ subject: "held_events" }] } });
  expect(await alarms()).toEqual([{ subject: "held_events", open: false }]);
  expect(await harness.query("select name from failing_chore")).toEqual([{ name: "partitions" }]);
});

it("a database that does not answer is no failed chore, but thrown", async () => {
  const { harness, db } = await withDatabase();
  await harness.query("alter table failing_chore rename to gone");
  const lost = new Error("connection lost");
  await expect(doChores(db, { history: () => Promise.reject(lost) })).rejects.toThrow("connection lost");
});

it("an invoice that cannot be blanked keeps no other's late personal data legible", async () => {
  const { harness, db } = await withDatabase();
  const ids = [await addConfirmation(harness), await addConfirmation(harness)];
  for (const invoiceId of ids) await eraseInvoice({ db, actor: "cli:test", invoiceId });
  for (const id of ids) await addCallback(harness, { invoice_ids: [id] });
  await harness.query("update erased_invoice set erased_at = now() - interval '2 minutes'");
  await harness.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no room'; end $$;
     create trigger refuse before update on confirmation for each row
       when (old.invoice_id = '${ids[0]}') execute function refuse()`,
  );
  await expect(checkErased(db)).rejects.toThrow(ids[0]);
  const legible = "select invoice_ids[1] as id from callback where erased_at is null";
  expect(await harness.query(legible)).toEqual([{ id: ids[0] }]);
});
