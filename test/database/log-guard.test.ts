import { hash, randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { openSession, ownDatabaseUrl } from "../support/database.ts";

const PAYLOAD = '{"data":{"title":"Ada’s rent","totalAmount":"100.10"}}';
const ERASED = '{"data":{"title":null,"totalAmount":"100.10","metadata":{}}}';
const DIGEST = hash("sha256", PAYLOAD);
const BODY = '{"data":{"payerName":"Ada Obi"}}';
const BLANK = "body = '', headers = '[]', path = '', query = '', reference = null, remote_address = null";

/** A database whose logs hold one row each, as their owner sees it. */
async function logs() {
  const client = await openSession(await ownDatabaseUrl());
  await client.query(
    `insert into event (id, invoice_id, source, type, invoice_type, collection_name, payload)
      values ($1, $2, 'default', 'invoice.paid', 'Live', 'Rent', $3)`,
    [randomUUID(), randomUUID(), PAYLOAD],
  );
  await client.query(
    `insert into callback (id, received_at, source, method, path, query, reference, invoice_ids, headers, body)
      values ($1, now(), 'default', 'POST', '/callbacks/x/Ada', 'payer=Ada', 'Ada', '{}', '[]', $2)`,
    [randomUUID(), Buffer.from(BODY)],
  );
  return client;
}

describe("the logs of callbacks and of events", () => {
  it.each([
    "delete from event",
    "truncate event",
    "update event set payload = 'forged'",
    "update event set payload = 'forged', erased_at = now()",
    `update event set payload = 'forged', erased_at = now(), erased_digest = '${hash("sha256", "forged")}'`,
    `update event set collection_name = 'Mine', erased_at = now(), erased_digest = '${DIGEST}'`,
    `update event set answer_digest = 'x', erased_at = now(), erased_digest = '${DIGEST}'`,
    `update event set created_at = '2020-01-01', erased_at = now(), erased_digest = '${DIGEST}'`,
    `update event set payload = replace(payload, '100.10', '900.10'), erased_at = now(), erased_digest = '${DIGEST}'`,
    "delete from callback",
    "truncate callback",
    "truncate callback_default",
    "update callback set body = 'forged'",
    `update callback set ${BLANK}, erased_at = now()`,
    `update callback set ${BLANK}, erased_at = now(), erased_digest = '${DIGEST}'`,
    `update callback set body = 'forged', erased_at = now(), erased_digest = encode(sha256(body), 'hex')`,
    `update callback set ${BLANK}, method = 'GET', erased_at = now(), erased_digest = encode(sha256(body), 'hex')`,
  ])("refuse, of their owner too: %s", async (statement) => {
    const client = await logs();
    await expect(client.query(statement)).rejects.toThrow(/^(callback|event) is insert-only: \w+ refused$/);
  });

  it("refuse to be emptied a month at a time", async () => {
    const client = await logs();
    const partitions = "select relname from pg_class where relname ~ '^callback_[0-9]{4}_[0-9]{2}$'";
    await client.query("select make_callback_partition('2031-11-01')");
    const { rows } = await client.query<{ relname: string }>(partitions);
    expect(rows.map(({ relname }) => relname)).toContain("callback_2031_11");
    for (const { relname } of rows)
      await expect(client.query(`truncate ${relname}`)).rejects.toThrow("insert-only: TRUNCATE refused");
  });

  it("take what erasing writes, once", async () => {
    const client = await logs();
    const erasures = [
      `update event set payload = '${ERASED}', erased_at = now(), erased_digest = '${DIGEST}'`,
      `update callback set ${BLANK}, erased_at = now(), erased_digest = encode(sha256(body), 'hex')`,
    ];
    for (const statement of erasures) expect((await client.query(statement)).rowCount).toBe(1);
    for (const statement of [...erasures, "update event set payload = 'forged'"])
      await expect(client.query(statement)).rejects.toThrow("is insert-only: UPDATE refused");
  });
});
