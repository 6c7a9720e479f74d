import { expect, it } from "vitest";
import { settleStatuses } from "../../src/operations/open-invoices.ts";
import { NEITHER_STATUS } from "../../src/pipeline/confirm/invoices/confirmed-invoice.ts";
import { addConfirmation, addInvoice, withDatabase } from "../support/log-rows.ts";

it("has what waits for a status asked about once it is in PAID_STATUSES or INVALID_STATUSES, dead or due", async () => {
  const { harness, db } = await withDatabase();
  const waits = async (
    status: string,
    state: string,
    last_error = `It says "${status}", which is ${NEITHER_STATUS}`,
  ) => {
    const waiting = { state, last_error, verdict: "pending", attempt: 5, due_at: "2126-10-01T00:00:00Z" };
    const invoice_id = await addInvoice(harness, { status });
    return await addConfirmation(harness, { ...waiting, invoice_id });
  };
  const meant = [await waits(" settled", "dead"), await waits("Void", "due")];
  await waits("On hold", "dead");
  await waits("Settled", "due", "no clear type");
  const settle = (PAID_STATUSES: string[], INVALID_STATUSES: string[]) =>
    settleStatuses(db, [{ name: "default" }, { name: "another" }], { PAID_STATUSES, INVALID_STATUSES });
  expect(await settle(["Paid"], ["Invalidated"])).toEqual({ opened: 0, more: false });
  expect(await settle(["Paid", "Settled "], ["VOID"])).toEqual({ opened: 2, more: false });
  expect(
    await harness.query(
      "select invoice_id as id from confirmation where state = 'due' and due_at <= now() and attempt = 0 order by 1",
    ),
  ).toEqual(meant.sort().map((id) => ({ id })));
  expect(await settle(["Paid", "Settled"], ["Void"])).toEqual({ opened: 0, more: false });
});
