import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { connect } from "../../src/database/connect.ts";
import { Secret } from "../../src/kit/secret.ts";
import { eraseInvoice } from "../../src/operate/erase.ts";
import { loginWith, thisMonth, tries, withRoles } from "../support/login.ts";

describe("the roles of receiver and worker", () => {
  it("let the receiver decide nothing: no verdict, no pause, no end of an alarm, no erasing", async () => {
    const { database } = await withRoles();
    const attempts = [
      "update confirmation set verdict = 'paid'",
      "update confirmation set settled_at = now()",
      "update confirmation set lease_token = null, claimed_until = null",
      `insert into confirmation (invoice_id, source, opened_by, opened_at, requested_at, due_at, verdict)
       values (gen_random_uuid(), 'a', 'callback', now(), now(), now(), 'paid')`,
      "delete from confirmation",
      "update source set paused_by = 'operator', paused_at = now()",
      "update source set opens_at = 'infinity'",
      "insert into source (name, opens_at) values ('a', 'infinity')",
      "insert into topic (arn, paused_by, paused_at) values ('a', 'operator', now())",
      "update topic set opens_at = 'infinity'",
      "update alarm set cleared_at = now()",
      "update alarm set told_at = now()",
      "delete from alarm",
      "update callback set erased_at = now()",
      "insert into erased_invoice (id) values (gen_random_uuid())",
      "select from confirmation for update",
      "lock table confirmation in share mode",
      "lock table sender_turn in share mode",
      "lock table callback_budget in share mode",
      "delete from sender_turn",
      "lock table callback in share mode",
    ];
    const outcomes = await tries(database.url, ["receiver"], attempts);
    // Locking rows takes a right to update some column; there are none here to lock.
    expect(outcomes).toEqual(attempts.map((attempt) => (/for update/.test(attempt) ? "done" : "refused")));
  });

  it("let nobody lock the logs: what is recorded and published never waits for a worker", async () => {
    const { database } = await withRoles();
    const attempts = ["callback", "callback_default", thisMonth(), "event"].flatMap((log) =>
      ["share", "exclusive", "access exclusive"].map((mode) => `lock table ${log} in ${mode} mode`),
    );
    const all = attempts.map(() => "refused");
    expect(await tries(database.url, ["receiver", "worker", "reader"], attempts)).toEqual(all);
  });

  it("are enough to erase", async () => {
    const { database } = await withRoles();
    const { db, close } = connect(new Secret(await loginWith(database.url, ["worker"])), { max: 1 });
    onTestFinished(close);
    const id = randomUUID();
    await sql`
      insert into callback (id, received_at, source, method, path, query, invoice_ids, headers, body)
      values (${randomUUID()}, now(), 'default', 'POST', '', '', ${[id]}, '[]', 'Ada')`.execute(db);
    await sql`
      insert into event (id, source, type, invoice_id, invoice_type, payload)
      values (${randomUUID()}, 'default', 'invoice.paid', ${id}, 'Live', '{"data":{}}')`.execute(db);
    expect(await eraseInvoice({ db, actor: "cli:test", invoiceId: id })).toMatchObject({
      callbacks: 1,
      events: 1,
    });
  });
});
