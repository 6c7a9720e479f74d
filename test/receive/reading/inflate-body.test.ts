import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { inflateBody } from "../../../src/receive/reading/decode-body.ts";

describe("at most the limit comes out", () => {
  const text = "a".repeat(1_000);

  it.each([
    ["nothing", null, Buffer.from(text)],
    ["gzip", "gzip", gzipSync(text)],
    ["gzip that nobody names", null, gzipSync(text)],
    ["deflate", "deflate", deflateSync(text)],
    ["deflate without its header", " Deflate", deflateRawSync(text)],
    ["br", "br", brotliCompressSync(text)],
  ])("of %s", async (_name, coding, body) => {
    expect(await inflateBody(body, coding, 1_000)).toEqual(Buffer.from(text));
    expect(await inflateBody(body, coding, 999)).toBe("too_large");
  });
});

it("so many wait that one more is to be sent again, and those are read (G8)", async () => {
  const body = gzipSync("{}");
  const asked = Array.from({ length: 256 }, () => inflateBody(body, "gzip"));
  await expect(inflateBody(body, "gzip")).rejects.toMatchObject({ next: "retry" });
  for (const one of await Promise.all(asked)) expect(one).toEqual(Buffer.from("{}"));
  expect(await inflateBody(body, "gzip")).toEqual(Buffer.from("{}"));
});
