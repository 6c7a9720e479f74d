import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, it, vi } from "vitest";
import type { ClaimedConfirmation } from "../../../../src/pipeline/confirm/queue/claim.ts";
import { CallbackLog } from "../../../../src/pipeline/receive/log/callback-log.ts";
import type { Database } from "../../../../src/platform/database/tables.ts";
import { type Handoff, leaseOf } from "../../../../src/platform/worker/index.ts";
import { ownDatabase } from "../../../support/database.ts";
import { incomingCallback } from "../../../support/incoming-callback.ts";
import { maxRowsOf } from "../../../support/max-rows.ts";

/** A confirmer with capacity for `capacity` confirmations, which keeps what it is given. */
class Confirmer implements Handoff<ClaimedConfirmation> {
  readonly lease = leaseOf(15_000);
  readonly taken: ClaimedConfirmation[] = [];
  reserved = 0;
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  reserve(): boolean {
    if (this.reserved >= this.#capacity) return false;
    this.reserved += 1;
    return true;
  }

  take(confirmations: readonly ClaimedConfirmation[], reserved: number): void {
    this.reserved -= reserved;
    this.taken.push(...confirmations);
  }
}

async function setUp(capacity: number) {
  const { db, url } = await ownDatabase({ max: 1, purpose: "hot" });
  await sql`insert into source (name, first_served_at) values ('default', '-infinity')`.execute(db);
  const confirmer = new Confirmer(capacity);
  const onConfirmations = vi.fn();
  const logOn = (database: Database) =>
    new CallbackLog({ db: database, onConfirmations, handoff: confirmer });
  return { db, url, confirmer, onConfirmations, logOn, log: logOn(db) };
}

const naming = (...invoiceIds: string[]) => incomingCallback({ invoiceIds, foundBy: "data.id" });

describe("handing new confirmations over", () => {
  it("claims them by the commit that records their callback, what there is capacity for (G1, G7)", async () => {
    const { db, confirmer, onConfirmations, log } = await setUp(2);
    await log.append(naming(randomUUID(), randomUUID()));
    const claims = await sql`
      select distinct confirmation.state, claimed_until > now() as leased,
        confirmation.xmin = callback.xmin as together
      from confirmation, callback`.execute(db);
    expect(claims.rows).toEqual([{ state: "claimed", leased: true, together: true }]);
    expect(confirmer.taken).toHaveLength(2);
    // The others are woken for what is left to them only.
    expect(onConfirmations).not.toHaveBeenCalled();
    await log.append(naming(randomUUID(), randomUUID(), randomUUID()));
    expect(confirmer.taken).toHaveLength(4);
    expect(onConfirmations).toHaveBeenCalledOnce();
    const { rows } = await sql`
      select state, count(*)::int as confirmations from confirmation group by state order by state`.execute(
      db,
    );
    expect(rows).toEqual([
      { state: "claimed", confirmations: 4 },
      { state: "due", confirmations: 1 },
    ]);
  });

  it("leaves an invoice that is known to a claim, which reads what is known of it (G6)", async () => {
    const { db, confirmer, log } = await setUp(10);
    const known = randomUUID();
    await sql`
      insert into invoice (id, source, asked_at, confirmed_at, amount, status, digest, document)
      values (${known}, 'default', now(), now(), 1, 'Paid', 'd', '{}')`.execute(db);
    await log.append(naming(known, randomUUID()));
    expect(confirmer.taken.filter(({ invoiceId }) => invoiceId === known)).toEqual([]);
    expect(confirmer.taken).toHaveLength(1);
  });

  it("leaves a confirmation that was asked before to a claim, and one under way to whoever asks it", async () => {
    const { db, confirmer, onConfirmations, log } = await setUp(10);
    const [asked, underWay] = [randomUUID(), randomUUID()];
    await log.append(naming(asked, underWay));
    const token = confirmer.taken[0]?.leaseToken;
    await sql`update confirmation set state = 'done', verdict = 'paid', settled_at = now(),
      lease_token = null, claimed_until = null
      where invoice_id = ${asked}`.execute(db);
    await log.append(naming(asked, underWay));
    expect(confirmer.taken).toHaveLength(2);
    expect(onConfirmations).toHaveBeenCalledOnce();
    const rows = await db
      .selectFrom("confirmation")
      .select(["invoice_id", "state", "requests", "lease_token"])
      .execute();
    expect(rows).toHaveLength(2);
    expect(rows).toContainEqual({ invoice_id: asked, state: "due", requests: 2, lease_token: null });
    expect(rows).toContainEqual({ invoice_id: underWay, state: "claimed", requests: 2, lease_token: token });
  });

  it("frees the capacity that was kept when the commit fails, and takes nothing", async () => {
    const { confirmer, log } = await setUp(10);
    const unstorable = { ...naming(randomUUID()), reference: "a\0b" };
    await expect(log.append(unstorable)).rejects.toThrow();
    expect(confirmer.reserved).toBe(0);
    expect(confirmer.taken).toEqual([]);
  });

  it("reads only the invoices that it is about, however many there are", async () => {
    const { db, url, logOn } = await setUp(1);
    await sql`
      insert into invoice (id, source, asked_at, confirmed_at, amount, status, digest, document)
      select gen_random_uuid(), 'default', now(), now(), 1, 'Paid', 'd', '{}'
        from generate_series(1, 5000)`.execute(db);
    await sql`vacuum analyze invoice`.execute(db);
    const rows = await maxRowsOf(url, (explained) => logOn(explained).append(naming(randomUUID())));
    expect(rows).toBeLessThanOrEqual(1);
  });
});
