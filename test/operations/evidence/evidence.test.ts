import { hash, randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { ADMIN_TOKENS, type AdminApi, adminApi, OPERATOR, READER } from "../../support/admin.ts";
import { runCli } from "../../support/cli-process.ts";
import { expectGolden } from "../../support/golden.ts";
import { addCallback } from "../../support/log-rows.ts";
import { startHarness } from "../../support/relay.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { addPayments } from "../add-payments.ts";
import { readZip } from "../read-zip.ts";

const BODY = Buffer.from('{"data":{"payerName":"Ada <b>Obi</b>","reference":"\\u0000"}}');

/** A callback's id, and the moment that it says. */
const named = (n: number) => ({
  ...{ id: `01999d00-0000-7000-8000-00000000000${n}`, received_at: new Date(0x01999d000000) },
});

/** A payment with a callback, and an event that SNS accepted. */
async function paid({ harness }: Pick<AdminApi, "harness">): Promise<string> {
  const at = { paidAt: "2026-10-01T00:00:00Z", publishedAt: "2026-10-01T00:00:05Z" };
  const [id = ""] = await addPayments(harness.query, [{ amount: "1500.50", reference: "<script>", ...at }]);
  await addCallback(harness, { ...named(1), invoice_ids: [id], body: BODY });
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

/** What an evidence has of its only callback: the body, and what is said of it. */
function callbackIn(files: Map<string, Buffer>) {
  const head = [...files].find(([path]) => path.endsWith("callback.json"))?.[1];
  return { body: [...files].find(([path]) => path.endsWith("/body"))?.[1], head: JSON.parse(String(head)) };
}

it("the evidence has callbacks as they came, answers, event, MessageIds and a story; the digests hold", async () => {
  const api = await adminApi({ ADMIN_TOKENS, COLLECTION_IDS: "none" });
  const id = await paid(api);
  const files = await download(api, id, OPERATOR);
  expectSumsToHold(files);
  const { body, head } = callbackIn(files);
  expect(body).toEqual(BODY);
  expect(head).toMatchObject({ bodyIs: "as_came", bodySha256: hash("sha256", BODY) });
  const answers = [...files.keys()].filter((path) => path.startsWith("answers/"));
  expect(answers).toEqual([expect.stringMatching(/^answers\/0001-20261001T000000Z-default\.json$/)]);
  const publications = [...files].find(([path]) => path.endsWith("publications.json"))?.[1];
  expect(JSON.parse(String(publications)).publications[0].messageId).toBe(`message-${id}`);
  const story = String(files.get("story.html"));
  expect(story).not.toContain("<script>");
  await expectGolden("story.html", story);
  await expectGolden("README", String(files.get("README.txt")));
  expect(files.has("WITHHELD")).toBe(false);

  // The role read gets the digests of what is personal instead of its bytes.
  const forReader = await download(api, id, READER);
  expectSumsToHold(forReader);
  expect(Buffer.concat([...forReader.values()]).includes("Ada")).toBe(false);
  const withheld = String(forReader.get("WITHHELD")).trim().split("\n");
  expect(withheld).toHaveLength(4);
  for (const line of withheld) {
    expect(forReader.has(line.slice(66))).toBe(false);
    expect(hash("sha256", files.get(line.slice(66)) ?? ""), line).toBe(line.slice(0, 64));
  }
});

it("a token of ours and what was erased are not in it, but the digest of each body is", async () => {
  const api = await adminApi({ ADMIN_TOKENS, COLLECTION_IDS: "none" });
  const body = Buffer.from(`{"url":"https://relay.example/callbacks/${"t".repeat(30)}/order-1"}`);
  const { invoiceId } = await addCallback(api.harness, { ...named(2), body });
  const masked = callbackIn(await download(api, invoiceId, OPERATOR));
  expect(String(masked.body)).toBe('{"url":"https://relay.example/callbacks/***/order-1"}');
  expect(masked.head).toMatchObject({ bodyIs: "masked", bodySha256: hash("sha256", body) });

  const id = await paid(api);
  await api.call("POST", `/invoices/${id}/erase`, { reason: "asked for" });
  const files = await download(api, id, OPERATOR);
  expectSumsToHold(files);
  expect(Buffer.concat([...files.values()]).includes("Ada")).toBe(false);
  expect(callbackIn(files).head).toMatchObject({ bodyIs: "erased", bodySha256: hash("sha256", BODY) });
});

it("the command writes it whole, or nothing", async () => {
  const harness = await startHarness();
  const id = await paid({ harness });
  const folder = await temporaryFolder();
  const evidence = async (of: string, file: string) =>
    (await runCli(["evidence", of, "--out", `${folder}/${file}`], harness.environment())).code;
  expect(await evidence(id, "one.zip")).toBe(0);
  expectSumsToHold(filesIn(await readFile(`${folder}/one.zip`), id));
  expect([await evidence(randomUUID(), "two.zip"), await evidence(id, "no/where.zip")]).toEqual([3, 2]);
  expect(await readdir(folder)).toEqual(["one.zip"]);
});
