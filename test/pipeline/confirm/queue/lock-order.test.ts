import { randomUUID } from "node:crypto";
import { type RawBuilder, sql } from "kysely";
import { describe, expect, it, vi } from "vitest";
import { storeOutcomes } from "../../../../src/pipeline/confirm/answer-statement.ts";
import {
  deleteUnknown,
  dismissConfirmations,
  promote,
  releaseConfirmations,
} from "../../../../src/pipeline/confirm/queue/change-confirmations.ts";
import type { ConfirmationKey } from "../../../../src/pipeline/confirm/queue/confirmation.ts";
import { openConfirmations } from "../../../../src/pipeline/confirm/queue/open.ts";
import type { Database } from "../../../../src/platform/database/tables.ts";
import { ownDatabase } from "../../../support/database.ts";
import { paidOutcome } from "../../../support/paid-outcome.ts";

const BY_A_SWEEP = { openedBy: "reconcile", priority: "known" } as const;
const ids = (keys: readonly ConfirmationKey[]) => keys.map(({ invoiceId }) => invoiceId);

const leaseToken = randomUUID();
const AS_THEY_ARE = sql`record_only = record_only`;

type Change = (db: Database, keys: readonly ConfirmationKey[]) => Promise<unknown>;

/** Each with the state of the confirmations that it changes. */
const CHANGES: [string, RawBuilder<unknown>, Change, purpose?: "hot" | "work"][] = [
  [
    "opening, some of them only to record",
    AS_THEY_ARE,
    (db, keys) =>
      openConfirmations(
        db,
        keys.map((key, index) => ({ ...key, recordOnly: index > 0 })),
        BY_A_SWEEP,
      ),
  ],
  ["releasing", AS_THEY_ARE, releaseConfirmations],
  ["dismissing", AS_THEY_ARE, dismissConfirmations],
  ["promoting", AS_THEY_ARE, (db, keys) => promote(db, "default", ids(keys))],
  [
    "forgetting",
    sql`state = 'done', verdict = 'unknown_invoice', settled_at = now() - interval '8 days'`,
    deleteUnknown,
  ],
  [
    "writing their answers",
    sql`state = 'claimed', lease_token = ${leaseToken}, claimed_until = now() + interval '1 minute'`,
    (db, keys) =>
      storeOutcomes.execute(db, {
        outcomes: keys.map((key) => ({ ...paidOutcome({ ...key, leaseToken }, "paid"), handTo: null })),
        leaseToken,
        lease: null,
      }),
    // Its plan is that of the sessions of the path, which never scan a table.
    "hot",
  ],
];

describe("confirmations are locked in the order of their invoices, so that nothing deadlocks", () => {
  it.each(CHANGES)("by %s", async (_, before, change, purpose = "work") => {
    const { db } = await ownDatabase({ purpose });
    const [first = "", ...others] = Array.from({ length: 5 }, () => randomUUID()).sort();
    const keys = [first, ...others].map((invoiceId) => ({ invoiceId, source: "default" })).reverse();
    // The first of them comes last in the table.
    for (const key of keys) await openConfirmations(db, [key], { openedBy: "callback", priority: "unknown" });
    await sql`update confirmation set ${before}`.execute(db);

    let changing: Promise<unknown> = Promise.resolve();
    await db.transaction().execute(async (holding) => {
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(holding);
      await sql`select from confirmation where invoice_id = ${first} for update`.execute(holding);
      changing = change(db, keys);
      const waiting = sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      await vi.waitFor(async () => expect((await waiting.execute(db)).rows).toHaveLength(1));
      // While it waits for the first, it holds none of the others.
      const free = sql`select from confirmation where invoice_id = any(${others}::uuid[])
        for update skip locked`;
      expect((await free.execute(holding)).rows).toHaveLength(others.length);
    });
    await changing;
  });
});
