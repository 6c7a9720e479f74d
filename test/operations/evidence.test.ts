import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { ADMIN_TOKENS, type AdminApi, adminApi, OPERATOR, READER } from "../support/admin.ts";
import { runCli } from "../support/cli-process.ts";
import { addCallback } from "../support/log-rows.ts";
import { startHarness } from "../support/relay.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { addPayments } from "./add-payments.ts";

const BODY = Buffer.from('{"data":{"payerName":"Ada <b>Obi</b>","reference":"\\u0000"}}');

/** A callback's id, and the moment that it says. */
const named = (n: number) => ({
  ...{ id: `01999d00-0000-7000-8000-00000000000${n}`, received_at: new Date(0x01999d000000) },
});

/** A payment with a callback, and an event that SNS accepted. */
async function paid({ harness }: Pick<AdminApi, "harness">): Promise<string> {
  const at = { paidAt: "2026-10-01T00:00:00Z", publishedAt: "2026-10-01T00:00:05Z" };
  const [id = ""] = await addPayments(harness.query, [{ amount: "1500.50", reference: "order-1", ...at }]);
  await addCallback(harness, { ...named(1), invoice_ids: [id], body: BODY });
  return id;
}

const download = async ({ call }: AdminApi, id: string, token: string) => {
  const { status, body } = await call("GET", `/invoices/${id}/evidence.json`, undefined, token);
  expect(status).toBe(200);
  return body;
};

it("the evidence has callbacks as they came, answers, event and MessageIds; for readers without personal data", async () => {
  const api = await adminApi({ ADMIN_TOKENS, COLLECTION_IDS: "none" });
  const id = await paid(api);
  const evidence = await download(api, id, OPERATOR);
  expect(evidence).toMatchObject({
    ...{ invoiceId: id, meaning: [expect.any(String), expect.any(String)] },
    callbacks: [{ bodyIs: "as_came", body: BODY.toString("base64") }],
    answers: [{ source: "default", status: "Paid" }],
    events: [{ state: "published", publications: [{ messageId: `message-${id}` }] }],
  });
  expect(JSON.stringify(evidence)).toContain("Ada");
  expect(JSON.stringify(await download(api, id, READER))).not.toContain("Ada");
});

it("a token of ours and what was erased are not in it", async () => {
  const api = await adminApi({ ADMIN_TOKENS, COLLECTION_IDS: "none" });
  const body = Buffer.from(`{"url":"https://relay.example/callbacks/${"t".repeat(30)}/order-1"}`);
  const { invoiceId } = await addCallback(api.harness, { ...named(2), body });
  const [masked] = (await download(api, invoiceId, OPERATOR)).callbacks;
  expect(masked).toMatchObject({
    bodyIs: "masked",
    text: '{"url":"https://relay.example/callbacks/***/order-1"}',
  });
  const id = await paid(api);
  await api.call("POST", `/invoices/${id}/erase`, { reason: "asked for" });
  expect(JSON.stringify(await download(api, id, OPERATOR))).not.toContain("Ada");
});

it("the command writes it whole, or nothing", async () => {
  const harness = await startHarness();
  const id = await paid({ harness });
  const folder = await temporaryFolder();
  const evidence = async (of: string, file: string) =>
    (await runCli(["evidence", of, "--out", `${folder}/${file}`], harness.environment())).code;
  expect(await evidence(id, "one.json")).toBe(0);
  expect(JSON.parse(await readFile(`${folder}/one.json`, "utf8"))).toMatchObject({ invoiceId: id });
  expect([await evidence(randomUUID(), "two.json"), await evidence(id, "no/where.json")]).toEqual([3, 2]);
  expect(await readdir(folder)).toEqual(["one.json"]);
});
