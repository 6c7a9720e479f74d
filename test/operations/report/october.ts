import { runCli } from "../../support/cli-process.ts";
import { startHarness } from "../../support/relay.ts";
import { addPayments, type GivenPayment } from "../add-payments.ts";

// In Lagos (UTC+1) the first is of September, the second and third of October, the last of November.
export const PAYMENTS: GivenPayment[] = [
  { amount: "1.00", paidAt: "2026-09-30T22:59:59Z" },
  {
    ...{ amount: "40400.10", serviceCharge: "100.00", vat: "7.50", total: "40507.60" },
    ...{ settleable: "40400.10", reference: "order-1", status: "PAID\u00a0", paidAt: "2026-09-30T23:00:00Z" },
    ...{ calledBackAt: "2026-09-30T23:00:02Z", publishedAt: "2026-09-30T23:00:04Z" },
  },
  {
    ...{ amount: "9999999999999.99", collection: "School", method: "Transfer", reference: "=HYPERLINK(0)" },
    paidAt: "2026-10-31T22:59:59.999Z",
  },
  { amount: "5.00", paidAt: "2026-10-31T23:00:00Z" },
  { amount: "7.00", type: "TEST\t", paidAt: "2026-10-10T12:00:00Z" },
  { amount: "8.00", status: "Unpaid", paidAt: null, createdAt: "2026-10-10T12:00:00Z" },
  { amount: "9.00", collection: "Not ours", verdict: "quarantined", paidAt: "2026-10-10T12:00:00Z" },
  { amount: "2.00", paidAt: null, createdAt: "2026-10-05T12:00:00Z" },
];

/** Their books, and the command that reports on them. */
export async function books(payments: GivenPayment[] = PAYMENTS) {
  const harness = await startHarness();
  const environment = harness.environment({ BOOKS_TIME_ZONE: "Africa/Lagos", COLLECTION_IDS: "none" });
  const ids = await addPayments(harness.query, payments);
  const report = (words: string) => runCli(["report", ...words.split(" ")], environment);
  return { harness, ids, report };
}

/** Options of the command. */
export const OCTOBER = "--from 2026-10-01 --to 2026-10-31";
