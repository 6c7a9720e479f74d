import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { NEITHER_STATUS } from "../../src/confirm/invoices/confirmed-invoice.ts";
import { settleStatuses } from "../../src/operate/open-invoices.ts";
import { placePayment } from "../reconcile/place-payment.ts";
import { books, daysAgo } from "../reconcile/relay-books.ts";

it("has what waits for a status asked about once it is in PAID_STATUSES or INVALID_STATUSES, dead or due", async () => {
  const given = await books();
  const waits = async (
    status: string,
    state: string,
    lastError = `It says "${status}", which is ${NEITHER_STATUS}`,
  ) => {
    const id = await placePayment(given, { paidAt: daysAgo(2), came: 2 });
    await given.query("update invoice set status = $2 where id = $1", [id, status]);
    await given.query(
      `update confirmation set state = $2, verdict = 'pending', last_error = $3, attempt = 5,
        due_at = now() + interval '1 hour' where invoice_id = $1`,
      [id, state, lastError],
    );
    return id;
  };
  const settled = await waits(" settled", "dead");
  const void_ = await waits("Void", "due");
  await waits("On hold", "dead");
  await waits("Settled", "due", "no clear type");
  const settle = (paid: string[], invalid: string[]) =>
    settleStatuses(given.db, [{ name: "default" }, { name: randomUUID() }], {
      PAID_STATUSES: paid,
      INVALID_STATUSES: invalid,
    });
  const due = async () =>
    (
      await given.query<{ id: string }>(
        "select invoice_id as id from confirmation where state = 'due' and due_at <= now() and attempt = 0",
      )
    ).map(({ id }) => id);

  expect(await settle(["Paid"], ["Invalidated"])).toEqual({ opened: 0, more: false });
  expect(await settle(["Paid", "Settled "], ["VOID"])).toEqual({ opened: 2, more: false });
  expect((await due()).sort()).toEqual([settled, void_].sort());
  expect(await settle(["Paid", "Settled"], ["Void"])).toEqual({ opened: 0, more: false });
});
