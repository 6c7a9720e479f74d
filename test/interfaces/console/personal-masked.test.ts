import { expect, it } from "vitest";
import { newId } from "../../../src/platform/values/ids.ts";
import { adminApi, OPERATOR, READER } from "../../support/admin.ts";
import { addCallback, addConfirmation, addInvoice } from "../../support/log-rows.ts";

const PERSONAL = /Ada Obi|ada@example|2348012345678/;
const invoice = (id: string, payerName: string) =>
  JSON.stringify({
    id,
    amount: 1500.5,
    payerName,
    payerEmail: "ada@example.com",
    payerPhoneNumber: "+2348012345678",
  });

it("what is known of people is shown to whoever may act, on every page, and to the role read on none", async () => {
  const { harness, call } = await adminApi();
  const id = await addConfirmation(harness, { state: "dead", attempt: 8, last_answer: "" });
  await harness.query("update confirmation set last_answer = $2 where invoice_id = $1", [
    id,
    invoice(id, "Ada Obi"),
  ]);
  await addInvoice(harness, { id, document: invoice(id, "Ada Obi") });
  const receivedAt = new Date();
  const callback = await addCallback(harness, {
    id: newId(receivedAt.getTime()),
    received_at: receivedAt,
    invoice_ids: [id],
    body: Buffer.from(invoice(id, "Ada Obi of Ife")),
  });
  for (const path of [`/callbacks/${callback.id}`, `/invoices/${id}/evidence`]) {
    const [read, operate] = [
      await call("GET", path, undefined, READER),
      await call("GET", path, undefined, OPERATOR),
    ];
    expect([read.status, operate.status], path).toEqual([200, 200]);
    expect(JSON.stringify(read.body), path).not.toMatch(PERSONAL);
    expect(JSON.stringify(operate.body), path).toMatch(PERSONAL);
    expect(JSON.stringify(read.body), path).toMatch(/1500\.5/);
    const { body = "" } = path.startsWith("/callbacks") ? read.body : {};
    expect(Buffer.from(body, "base64").toString(), path).not.toMatch(PERSONAL);
  }
});
