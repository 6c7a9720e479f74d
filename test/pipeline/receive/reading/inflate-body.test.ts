import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { BODY_LIMIT, inflateBody } from "../../../../src/pipeline/receive/reading/decode-body.ts";
import { readCallback } from "../../../../src/pipeline/receive/reading/read-callback.ts";

const text = "a".repeat(1_000);

it.each([
  ["nothing", null, Buffer.from(text)],
  ["gzip", "gzip", gzipSync(text)],
  ["gzip that nobody names", null, gzipSync(text)],
  ["deflate", "deflate", deflateSync(text)],
  ["deflate without its header", " Deflate", deflateRawSync(text)],
  ["br", "br", brotliCompressSync(text)],
])("at most the limit comes out of %s (G12)", async (_name, coding, body) => {
  expect(await inflateBody(body, coding, 1_000)).toEqual(Buffer.from(text));
  expect(await inflateBody(body, coding, 999)).toBe("too_large");
});

it.each(["gzip", "br", "utf-8", "constructor"])(
  "bytes that are no %s, whatever the header says, stay as they are",
  async (coding) => {
    const noise = Buffer.from([0x1f, 0x8b, 0x08, 0x00, 0xff, 0xff]);
    for (const body of [Buffer.from('{"id":1}'), noise, Buffer.alloc(0)])
      expect(await inflateBody(body, coding)).toBe(body);
  },
);

it("a callback may be of 256 KiB, as sent and inflated", async () => {
  const request = { method: "POST", query: "", reference: null, contentType: null, contentEncoding: "gzip" };
  const kindOf = async (body: Buffer) => (await readCallback({ ...request, body })).kind;
  const [most, more] = [Buffer.alloc(BODY_LIMIT, " "), Buffer.alloc(BODY_LIMIT + 1, " ")];
  expect([await kindOf(most), await kindOf(gzipSync(most))]).toEqual(["ping", "ping"]);
  expect([await kindOf(more), await kindOf(gzipSync(more))]).toEqual(["too_large", "too_large"]);
});

it("so many wait that one more is to be sent again, and those are read (G8)", async () => {
  const body = gzipSync("{}");
  const asked = Array.from({ length: 256 }, () => inflateBody(body, "gzip"));
  await expect(inflateBody(body, "gzip")).rejects.toMatchObject({ next: "retry" });
  for (const one of await Promise.all(asked)) expect(one).toEqual(Buffer.from("{}"));
  expect(await inflateBody(body, "gzip")).toEqual(Buffer.from("{}"));
});
