import type { Kysely } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { Lease } from "../work/lease.ts";
import type { Policy } from "../work/policy.ts";
import type { Claimed } from "./claim.ts";
import type { ConfirmLine } from "./confirm-line.ts";
import { confirmationLeases } from "./queue/leases.ts";

export interface ConfirmPolicyOptions {
  db: Kysely<Tables>;
  lines: readonly ConfirmLine[];
  /** How many invoices are asked for at the same time. */
  concurrency: number;
  lease: Lease;
}

/** How the pump confirms: each confirmation is an exchange of its own. */
export function confirmPolicy({ db, lines, concurrency, lease }: ConfirmPolicyOptions): Policy<Claimed> {
  return {
    name: "confirm",
    lines,
    lineOf: ({ source }) => source,
    exchanges: concurrency,
    batchSize: 1,
    nextBatch: () => 1,
    async giveBack(confirmations) {
      for (const line of lines) line.gaveBack(confirmations);
      await confirmationLeases.giveBack(
        db,
        confirmations.map(({ invoiceId: id, source, leaseToken }) => ({ id, source, leaseToken })),
      );
    },
    async extend(confirmations) {
      await confirmationLeases.extend(db, confirmations, lease);
    },
  };
}
