import type { Kysely } from "kysely";
import { sql } from "kysely";
import { type ResultOf, returned, type Statement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import { paidEventIsLogged } from "../publish/event.ts";
import { allowanceOf, type Limits } from "../upstreams/allowance.ts";
import { isWell } from "../upstreams/machine.ts";
import {
  readSource,
  type Spending,
  spendingAllowance,
  whenSourceIsUnchanged,
  whenSourceIsWell,
} from "../upstreams/source-row.ts";
import { SOURCE } from "../upstreams/upstream-kind.ts";
import type { KnownInvoice } from "./invoices/known-invoice.ts";
import { joiningInvoice, KNOWN_INVOICE, knownInvoice, knownInvoiceIn } from "./invoices/known-invoice.ts";
import {
  CLAIMED,
  type ClaimConditions,
  type ClaimedConfirmation,
  type Claiming,
  ConfirmationClaim,
} from "./queue/claim.ts";

/** A confirmation under lease, and what the relay knew of its invoice at the claim; nothing for a new one. */
export interface Claimed extends ClaimedConfirmation {
  known?: KnownInvoice | null;
  /** Its `invoice.paid` is in the log. */
  hasEvent?: boolean;
  /** The traceparent of this try and of its event; left out while tracing is off. */
  traceparent?: string;
}

export interface SourceClaim {
  items: Claimed[];
  /** The source is well, so far as this claim saw. */
  isWell: boolean;
  /** Its key was refused, so somebody has to probe it. */
  isRefused: boolean;
  /**
   * When there may be more although none is to be taken now, in ms; null when only new work would change it.
   */
  moreInMs: number | null;
}

const RETURNS = { ...CLAIMED, ...KNOWN_INVOICE, hasEvent: returned.boolean } as const;
type Row = ResultOf<Statement<never, typeof RETURNS>>;

const reading: Pick<ClaimConditions<never>, "joining" | "adding"> = {
  joining: joiningInvoice,
  adding: sql`${knownInvoice}, ${paidEventIsLogged} as "hasEvent"`,
};

const whenWell = new ConfirmationClaim<Claiming, typeof RETURNS>(RETURNS, {
  admitting: ({ value }) => whenSourceIsWell(value(({ source }) => source)),
  ...reading,
});

const LIMITED: ClaimConditions<Claiming & Spending> = {
  admitting: whenSourceIsUnchanged,
  thereupon: spendingAllowance,
  ...reading,
};

const whenAllowed = new ConfirmationClaim<Claiming & Spending, typeof RETURNS>(RETURNS, LIMITED);

const whenFlooded = new ConfirmationClaim<Claiming & Spending, typeof RETURNS>(RETURNS, LIMITED, {
  flooded: true,
});

/**
 * Takes due confirmations of one source. A source that is well and has no limit needs one statement. For any
 * other the allowance is reckoned first, and the claim spends it only if the source has not changed
 * meanwhile, so that any number of processes keep one limit.
 */
export async function claimConfirmations(
  db: Kysely<Tables>,
  { limits, ...claiming }: Claiming & { limits: Limits },
): Promise<SourceClaim> {
  const limited = limits.ratePerSecond !== null;
  if (!limited) {
    const rows = await whenWell.from(db, claiming);
    if (rows[0]?.open === true)
      return { items: claimedIn(rows), isWell: true, isRefused: false, moreInMs: null };
  }
  for (;;) {
    const row = await readSource(db, claiming.source);
    const allowance = allowanceOf(row, SOURCE.policy, limits, claiming.total);
    const { total, unknown, moreInMs } = allowance;
    const found = {
      isWell: isWell(row) && !allowance.flooded,
      isRefused: row.pausedBy === "refused",
      moreInMs,
    };
    if (total < 1) return { items: [], ...found };
    const { version } = row;
    const claim = allowance.flooded ? whenFlooded : whenAllowed;
    const rows = await claim.from(db, { ...claiming, total, unknown, version, allowance, limited });
    if (rows[0]?.open === true) return { items: claimedIn(rows), ...found };
  }
}

const claimedIn = (rows: readonly Row[]): Claimed[] =>
  rows.flatMap(({ open: _, status, type, modifiedAt, amount, totalAmount, digest, ...row }) => {
    if (row.invoiceId === null) return [];
    const known = knownInvoiceIn({ status, type, modifiedAt, amount, totalAmount, digest });
    return [{ ...(row as Claimed), known }];
  });
