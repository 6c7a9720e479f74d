import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { readEvidence } from "../../src/operate/invoice-evidence.ts";
import { openDatabase } from "../support/database.ts";
import { addCallback } from "../support/log-rows.ts";
import { surroundings } from "../support/relay.ts";

const MIB = 1024 ** 2;

it("evidence reads one body in a turn of the event loop, and stays bounded (G12, G8)", async () => {
  const around = await surroundings();
  const invoiceId = randomUUID();
  const body = Buffer.from(JSON.stringify({ id: invoiceId, note: "a".repeat(250_000) }));
  for (let n = 0; n < 5; n += 1) {
    // As nobody of ours writes it: an id whose time, if it had one, no database could read.
    const id = `ffffffff${randomUUID().slice(8)}`;
    await addCallback(around, { id, invoice_ids: [invoiceId], body });
  }
  await around.query(
    `insert into invoice_snapshot (source, invoice_id, status, asked_at, digest, document)
     select 'default', $1, 'Unpaid', '2026-10-01T00:00:00Z'::timestamptz + n * interval '1 second', n::text,
       jsonb_build_object('title', repeat('a', 300000))
     from generate_series(1, 20) as n`,
    [invoiceId],
  );
  let turn = 0;
  const turns: number[] = [];
  const ticking = setInterval(() => undefined, 60_000);
  let isReading = true;
  const tick = () => {
    turn += 1;
    if (isReading) setImmediate(tick);
  };
  tick();
  const evidence = await readEvidence(openDatabase(around.databaseUrl), invoiceId, {
    mask(text) {
      turns.push(turn);
      return text;
    },
  });
  isReading = false;
  clearInterval(ticking);

  expect(new Set(turns).size).toBe(5);
  const size = JSON.stringify(evidence).length;
  expect(size).toBeGreaterThan(MIB);
  expect(size).toBeLessThan(2.2 * MIB);
  expect(evidence?.claims[0]?.text).toBe(body.toString());
  expect(evidence?.answers[0]?.askedAt.toISOString()).toBe("2026-10-01T00:00:20.000Z");
  expect(evidence).toMatchObject({ claims: { length: 1 }, answers: { length: 3 } });
  expect(evidence?.leftOut).toEqual({ claims: 4, answers: 17 });
});
