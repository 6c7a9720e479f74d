import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { claimEvents } from "../../src/publish/claim-events.ts";
import { leaseOf } from "../../src/work/lease.ts";
import { ownDatabase } from "../support/database.ts";
import { maxRowsOf } from "../support/max-rows.ts";

const TOPIC = "arn:aws:sns:eu-west-1:000000000000:invoices";
const ROUTE = { source: "default", invoiceType: "Live" as const, topicArn: TOPIC };

/** Events that wait to be sent. */
async function waiting(count: number) {
  const { db, url } = await ownDatabase();
  await sql`insert into topic (arn) values (${TOPIC})`.execute(db);
  await sql`
    with logged as (
      insert into event (id, invoice_id, source, type, invoice_type, payload)
      select id, id, 'default', 'invoice.paid', 'Live', '{}'
      from (select gen_random_uuid() as id from generate_series(1, ${count}::int)) as made
      returning source, id, invoice_type)
    insert into outbox (source, event_id, invoice_type) select source, id, invoice_type from logged`.execute(
    db,
  );
  return { db, url };
}

describe("events that wait", () => {
  it("are claimed without a look at more of them than are taken", async () => {
    const { db, url } = await waiting(3_000);
    const claim = { route: ROUTE, wanted: 10, lease: leaseOf(60_000) };
    const unexpected = await maxRowsOf(url, (explained) => claimEvents(explained, claim));
    await sql`analyze`.execute(db);
    const expected = await maxRowsOf(url, (explained) => claimEvents(explained, claim));
    expect({ unexpected, expected }).toEqual({ unexpected: 10, expected: 10 });
  });
});
