import { createHash, randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { onceForAll } from "../../support/own-test.ts";
import { ownRelay, TOKEN } from "../../support/relay.ts";
import { sendRaw } from "./send-raw.ts";

const ALLOWED = [400, 404, 405, 408, 413, 431, 503];
const isAllowed = (status: number) => (status >= 200 && status < 300) || ALLOWED.includes(status);

const headers = fc.dictionary(
  fc.constantFrom("content-type", "content-encoding", "accept", "x-forwarded-for", "sec-fetch-mode"),
  fc.oneof(
    fc.constantFrom("application/json", "application/x-www-form-urlencoded", "gzip", "br", "text/html"),
    // What a header may hold at all: visible ASCII and bytes above it.
    fc.stringMatching(/^[\x20-\x7e\x80-\xff]{0,60}$/),
  ),
);
const inUrl = fc
  .array(fc.constantFrom(..."abz019-_.~!$&'()*+,;=:@%/?[]{}|^`\"<>\\", "%00", "%C3", "%zz", "%2e%2e"), {
    maxLength: 30,
  })
  .map((signs) => signs.join("").replaceAll(/[\s#]/g, ""));
const token = fc.oneof({ weight: 8, arbitrary: fc.constant(TOKEN) }, inUrl);
const body = fc.oneof(
  fc.uint8Array({ maxLength: 3_000 }),
  fc.json().map((text) => Buffer.from(text)),
  fc.constantFrom(262_143, 262_144, 262_145, 400_000).map((size) => Buffer.alloc(size, "[")),
);

describe("whatever the bytes", () => {
  const own = onceForAll(() => ownRelay({}, { http: true, workers: false }));

  it("the answer is one of the known ones, and what was recorded equals what was sent (G1)", async () => {
    const { harness, relay } = own();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("POST", "GET", "HEAD", "PUT", "OPTIONS", "DELETE"),
        token,
        inUrl,
        headers,
        body,
        async (method, urlToken, rest, given, bytes) => {
          const mark = randomBytes(8).toString("hex");
          const answer = await sendRaw(relay.url, {
            method,
            target: `/callbacks/${urlToken}${rest.startsWith("?") ? rest : `/${rest}`}`,
            headers: { ...given, "x-mark": mark },
            body: bytes,
          });
          expect(isAllowed(answer.status), `${answer.status} ${answer.text}`).toBe(true);
          const rows = await harness.query<{ body: Buffer }>(
            "select body from callback where strpos(headers::text, $1) > 0",
            [mark],
          );
          const took = answer.status >= 200 && answer.status < 300;
          expect(rows).toHaveLength(took ? 1 : 0);
          for (const row of rows) expect(row.body.equals(Buffer.from(bytes))).toBe(true);
        },
      ),
      { numRuns: 150 },
    );
  });

  it("a path is known as Express knows one: in any case, after an origin, with broken escapes; no other is", async () => {
    const statusOf = async (target: string) =>
      (await sendRaw(own().relay.url, { method: "POST", target, body: Buffer.from("{}") })).status;
    for (const target of [
      `/callbacks/${TOKEN}`,
      `/CALLBACKS/${TOKEN}/?callbacks`,
      `http://relay.example.com/callbacks/${TOKEN}/a?b=%`,
    ])
      expect(await statusOf(target), target).toBe(200);
    for (const target of [
      "/callbacks/?",
      `/callbacksx/${TOKEN}`,
      `//callbacks/${TOKEN}`,
      `/x/callbacks/${TOKEN}`,
      `http://callbacks/${TOKEN}`,
    ])
      expect(await statusOf(target), target).toBe(404);
  });

  it("a NUL in path, query or body and an endless reference are recorded, and so are their neighbours", async () => {
    const { harness, relay } = own();
    const path = `/callbacks/${TOKEN}`;
    const endless = randomBytes(6_000).toString("base64url");
    const from = new Date();
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, (_, n) => relay.callback({ n })),
      relay.callback("a\0b"),
      relay.callback("c", { path: `${path}/ref%00erence` }),
      relay.callback("d", { path: `${path}?q=%00&r=%ED%A0%80` }),
      relay.callback('{"a":"\\u0000\\ud800"}'),
      relay.callback("e", { path: `${path}/${endless}` }),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual(Array(25).fill(200));
    const rows = await harness.query<{ body: Buffer; path: string; reference: string | null }>(
      "select body, path, query, reference from callback where received_at >= $1",
      [from],
    );
    expect(rows).toHaveLength(25);
    // An index takes no text of 8,000 characters.
    const kept = `${endless.slice(0, 500)}… sha256:${createHash("sha256").update(endless).digest("hex")}`;
    expect(rows).toContainEqual({
      body: Buffer.from("e"),
      path: `/callbacks/***/${endless}`,
      query: "",
      reference: kept,
    });
    expect(rows.filter((row) => row.body.equals(Buffer.from("a\0b")))).toHaveLength(1);
    expect(rows.map((row) => row.reference)).toContain("ref\uFFFDerence");
  });
});
