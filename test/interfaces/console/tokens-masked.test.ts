import { expect, it } from "vitest";
import { newId, withTextsMasked } from "../../../src/platform/values/index.ts";
import { adminApi, READER } from "../../support/admin.ts";
import { addCallback, addConfirmation, addInvoice } from "../../support/log-rows.ts";
import { TOKEN } from "../../support/relay.ts";

const url = `https://relay.example.com/callbacks/${TOKEN}/order-9`;

/** No token is left in an answer. */
function expectNoToken(answered: unknown) {
  const text = JSON.stringify(answered);
  expect(text).not.toContain(TOKEN);
}

it("callback tokens reach no role's screen: in bodies and texts", async () => {
  const { harness, call } = await adminApi();
  const cases: [
    name: string,
    of: (id: string) => string | Buffer,
    bodyIs: string,
    headers?: [string, string][],
  ][] = [
    ["JSON", (id) => JSON.stringify({ data: { id, callBackUrl: url } }), "masked"],
    [
      "alone, beside broken bytes",
      (id) => Buffer.concat([Buffer.from([0xff, 0xc3]), Buffer.from(`${id} ${TOKEN}`)]),
      "masked",
    ],
    ["none", (id) => Buffer.concat([Buffer.from([0xff]), Buffer.from(`{"id":"${id}"}`)]), "as_came"],
  ];
  for (const [name, of, bodyIs, headers = []] of cases) {
    const invoiceId = await addConfirmation(harness);
    const sent = Buffer.from(of(invoiceId));
    const receivedAt = new Date();
    const { id } = await addCallback(harness, {
      id: newId(receivedAt.getTime()),
      received_at: receivedAt,
      invoice_ids: [invoiceId],
      body: sent,
      headers: JSON.stringify([...headers, ["x-note", url]]),
      query: `to=${encodeURIComponent(url)}`,
      path: `/callbacks/${TOKEN}/x`,
      reference: url,
    });
    const callback = await call("GET", `/callbacks/${id}`, undefined, READER);
    const { status, body: shown } = callback;
    expect(status, name).toBe(200);
    expectNoToken(shown);
    const bytes = Buffer.from(shown.body, "base64");
    expectNoToken(bytes.toString("latin1"));
    expect(shown.bodyIs, name).toBe(bodyIs);
    expect(shown.text, name).toContain(invoiceId);
    if (bodyIs === "as_came") expect(bytes).toEqual(sent);
    expectNoToken((await call("GET", "/callbacks", undefined, READER)).body);
  }
});

it("nor do those that a document or a reference holds, or the request itself", async () => {
  const { harness, call } = await adminApi();
  const invoiceId = await addConfirmation(harness);
  const document = JSON.stringify({ id: invoiceId, billerMetaData: { [TOKEN]: url } });
  await addInvoice(harness, { id: invoiceId, reference: `order ${TOKEN}`, document });
  for (const path of ["", "/evidence"]) {
    const { status, body } = await call("GET", `/invoices/${invoiceId}${path}`, undefined, READER);
    expect(status).toBe(200);
    expect(JSON.stringify(body)).toContain("***");
    expectNoToken(body);
  }
  const list = await call("GET", "/invoices", undefined, READER);
  expect(list.body.items).toMatchObject([{ invoiceId, reference: "order ***" }]);
  const refused = await call("POST", "/certify", { from: url, to: url });
  expect(refused.status).toBe(400);
  expectNoToken(refused.body);
});

it("a masked value keeps its shape, and times, numbers and nothing stay what they are", () => {
  const at = new Date(0);
  const toJSON = () => ({ url });
  const value = { at, n: 1, no: null, is: true, list: [url, { [url]: "x" }], own: { toJSON } };
  const mask = (text: string) => text.replaceAll(TOKEN, "***");
  const quiet = mask(url);
  const masked = { at, n: 1, no: null, is: true, list: [quiet, { [quiet]: "x" }], own: { url: quiet } };
  expect(withTextsMasked(value, mask)).toEqual(masked);
});
