import type { Kysely } from "kysely";
import { confirmationLeases } from "../confirmations/leases.ts";
import type { Tables } from "../database/tables.ts";
import type { Policy } from "../workers/policy.ts";
import type { Claimed } from "./claim.ts";
import type { ConfirmLine } from "./confirm-line.ts";

export interface ConfirmPolicyOptions {
  db: Kysely<Tables>;
  lines: readonly ConfirmLine[];
  /** How many invoices are asked for at the same time. */
  concurrency: number;
  leaseMs: number;
}

/** How the pump confirms: each confirmation is an exchange of its own. */
export function confirmPolicy({ db, lines, concurrency, leaseMs }: ConfirmPolicyOptions): Policy<Claimed> {
  return {
    name: "confirm",
    lines,
    lineOf: ({ source }) => source,
    exchanges: concurrency,
    batchSize: 1,
    nextBatch: () => 1,
    giveBack: (confirmations) =>
      confirmationLeases.giveBack(
        db,
        confirmations.map(({ invoiceId: id, source, leaseToken }) => ({ id, source, leaseToken })),
      ),
    async extend(confirmations) {
      await confirmationLeases.extend(db, confirmations, leaseMs);
    },
  };
}
