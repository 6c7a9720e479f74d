import { hash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { ADMIN_TOKENS, type AdminApi, adminApi, OPERATOR, READER } from "../../support/admin.ts";
import { runCli } from "../../support/cli-process.ts";
import { expectGolden } from "../../support/golden.ts";
import { addCallback } from "../../support/log-rows.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { addPayments } from "../add-payments.ts";
import { readZip } from "../read-zip.ts";

const BODY = Buffer.from('{"data":{"payerName":"Ada <b>Obi</b>","reference":"\\u0000"}}');

/** A payment with a callback, and an event that SNS accepted. */
async function paid({ harness }: Pick<AdminApi, "harness">): Promise<string> {
  const [id = ""] = await addPayments(harness.query, [
    {
      amount: "1500.50",
      reference: "<script>",
      paidAt: "2026-10-01T00:00:00Z",
      publishedAt: "2026-10-01T00:00:05Z",
    },
  ]);
  await addCallback(harness, {
    id: "01999d00-0000-7000-8000-000000000001",
    received_at: new Date(0x01999d000000),
    invoice_ids: [id],
    body: BODY,
  });
  return id;
}

const download = async ({ relay }: AdminApi, id: string, token: string) => {
  const answer = await fetch(`${relay.opsUrl ?? relay.url}/admin/v1/invoices/${id}/evidence.zip`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(answer.headers.get("content-type")).toBe("application/zip");
  return filesIn(Buffer.from(await answer.arrayBuffer()), id);
};

/** The files by their paths in its folder. */
const filesIn = (zip: Buffer, id: string) =>
  new Map([...readZip(zip)].map(([path, content]) => [path.replace(`evidence-${id}/`, ""), content]));

/** As `sha256sum -c` would check them. */
function expectSumsToHold(files: Map<string, Buffer>): void {
  const lines = String(files.get("SHA256SUMS")).trim().split("\n");
  expect(lines.map((line) => line.slice(66)).sort()).toEqual(
    [...files.keys()].filter((path) => path !== "SHA256SUMS").sort(),
  );
  for (const line of lines)
    expect(hash("sha256", files.get(line.slice(66)) ?? ""), line).toBe(line.slice(0, 64));
}

it("the evidence has callbacks as they came, answers, event, MessageIds and a story; the digests hold", async () => {
  const api = await adminApi({ ADMIN_TOKENS, COLLECTION_IDS: "none" });
  const id = await paid(api);

  const files = await download(api, id, OPERATOR);

  expectSumsToHold(files);
  const [callback] = [...files.keys()].filter((path) => path.endsWith("/body"));
  expect(files.get(callback ?? "")).toEqual(BODY);
  const head = JSON.parse(String(files.get(callback?.replace("body", "callback.json") ?? "")));
  expect(head).toMatchObject({ bodyIs: "as_came", bodySha256: hash("sha256", BODY) });
  const answers = [...files.keys()].filter((path) => path.startsWith("answers/"));
  expect(answers).toEqual([expect.stringMatching(/^answers\/0001-20261001T000000Z-default\.json$/)]);
  const publications = [...files].find(([path]) => path.endsWith("publications.json"))?.[1];
  expect(JSON.parse(String(publications)).publications[0].messageId).toBe(`message-${id}`);
  const story = String(files.get("story.html"));
  for (const quoted of [`message-${id}`, "&lt;script&gt;"]) expect(story).toContain(quoted);
  expect(story).not.toContain("<script>");
  await expectGolden("story.html", story);
  await expectGolden("README", String(files.get("README.txt")));
  expect(files.has("WITHHELD")).toBe(false);
});

it("the role read gets the digests of what is personal instead of its bytes", async () => {
  const api = await adminApi({ ADMIN_TOKENS, COLLECTION_IDS: "none" });
  const id = await paid(api);

  const [forReader, forOperator] = [await download(api, id, READER), await download(api, id, OPERATOR)];

  expectSumsToHold(forReader);
  expect(Buffer.concat([...forReader.values()]).includes("Ada")).toBe(false);
  const withheld = String(forReader.get("WITHHELD")).trim().split("\n");
  expect(withheld).toHaveLength(4);
  for (const line of withheld) {
    expect(forReader.has(line.slice(66))).toBe(false);
    expect(hash("sha256", forOperator.get(line.slice(66)) ?? ""), line).toBe(line.slice(0, 64));
  }
});

it("a token of ours in a body is masked, and the body's own digest kept", async () => {
  const api = await adminApi({ ADMIN_TOKENS, COLLECTION_IDS: "none" });
  const body = Buffer.from(`{"url":"https://relay.example/callbacks/${"t".repeat(30)}/order-1"}`);
  const { invoiceId } = await addCallback(api.harness, {
    id: "01999d00-0000-7000-8000-000000000002",
    received_at: new Date(0x01999d000000),
    body,
  });

  const files = await download(api, invoiceId, OPERATOR);

  const [path = ""] = [...files.keys()].filter((one) => one.endsWith("/body"));
  expect(String(files.get(path))).toBe('{"url":"https://relay.example/callbacks/***/order-1"}');
  expect(JSON.parse(String(files.get(path.replace("body", "callback.json"))))).toMatchObject({
    bodyIs: "masked",
    bodySha256: hash("sha256", body),
  });
});

it("what was erased is not in it, but the digest of each body is", async () => {
  const api = await adminApi({ ADMIN_TOKENS, COLLECTION_IDS: "none" });
  const id = await paid(api);
  const erased = await api.call("POST", `/invoices/${id}/erase`, { reason: "asked for" });
  expect(erased.body).toMatchObject({ found: true, callbacks: 1 });

  const files = await download(api, id, OPERATOR);

  expectSumsToHold(files);
  expect(Buffer.concat([...files.values()]).includes("Ada")).toBe(false);
  const head = [...files].find(([path]) => path.endsWith("callback.json"))?.[1];
  expect(JSON.parse(String(head))).toMatchObject({ bodyIs: "erased", bodySha256: hash("sha256", BODY) });
});

it("the command writes it whole, or says that nothing is known", async () => {
  const api = await adminApi({ ADMIN_TOKENS, COLLECTION_IDS: "none" });
  const id = await paid(api);
  const folder = await temporaryFolder();
  const environment = api.harness.environment();
  const unknown = randomUUID();

  const done = await runCli(["evidence", id, "--out", `${folder}/one.zip`], environment);
  const missing = await runCli(["evidence", unknown, "--out", `${folder}/two.zip`], environment);
  const nowhere = await runCli(["evidence", id, "--out", `${folder}/no/where.zip`], environment);

  expect(done.code).toBe(0);
  expectSumsToHold(filesIn(await readFile(`${folder}/one.zip`), id));
  expect([missing.code, nowhere.code]).toEqual([3, 2]);
  expect(await readdir(folder)).toEqual(["one.zip"]);
});
