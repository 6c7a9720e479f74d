import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { inflateBody } from "../../../src/receive/reading/decode-body.ts";

const TEXT = '{"id":1}';
const inflate = (body: Uint8Array, contentEncoding: string | null, limit = 1_000) => {
  const bytes = inflateBody(body, contentEncoding, limit);
  return bytes === "too_large" ? bytes : Buffer.from(bytes).toString();
};

describe("what the header names is undone", () => {
  it.each([
    ["gzip", gzipSync(TEXT)],
    ["deflate", deflateSync(TEXT)],
    ["deflate", deflateRawSync(TEXT)],
    ["br", brotliCompressSync(TEXT)],
    ["zstd", zstdCompressSync(TEXT)],
    ["X-Gzip", gzipSync(TEXT)],
    [" x-deflate ", deflateSync(TEXT)],
    ["identity", Buffer.from(TEXT)],
    ["gzip, deflate, br", brotliCompressSync(deflateSync(gzipSync(TEXT)))],
    ["identity, gzip", gzipSync(TEXT)],
  ])("%s", (coding, body) => {
    expect(inflate(body, coding)).toBe(TEXT);
  });

  it("gzip without a header too", () => {
    expect(inflate(gzipSync(TEXT), null)).toBe(TEXT);
    expect(inflate(gzipSync(TEXT), "")).toBe(TEXT);
  });
});

describe("bytes are handed back as they are", () => {
  const asTheyAre = (body: Uint8Array, coding: string | null) =>
    expect(inflateBody(body, coding, 1_000)).toEqual(body);

  it.each(["gzip", "deflate", "br", "zstd"])("when they are not the %s that the header says", (coding) => {
    asTheyAre(Buffer.from(TEXT), coding);
  });

  it("when the header names no coding that is known", () => {
    asTheyAre(deflateSync(TEXT), "dex-flate");
    asTheyAre(deflateSync(TEXT), "constructor");
  });

  it("when the header names more than three", () => {
    const four = gzipSync(deflateSync(deflateSync(deflateSync(TEXT))));
    asTheyAre(four, "deflate, deflate, deflate, gzip");
  });

  it("when they only begin as gzip does", () => {
    asTheyAre(Buffer.of(0x1f), null);
    asTheyAre(Buffer.of(0x1f, 0x8c), null);
    asTheyAre(Buffer.of(0x41, 0x8b), null);
  });

  it("when there are none", () => {
    for (const coding of [null, "gzip", "br"]) asTheyAre(Buffer.of(), coding);
  });
});

describe("at most the limit comes out", () => {
  const text = "a".repeat(1_000);

  it.each([
    ["nothing", null, Buffer.from(text)],
    ["gzip", "gzip", gzipSync(text)],
    ["deflate", "deflate", deflateSync(text)],
    ["deflate without its header", "deflate", deflateRawSync(text)],
    ["br", "br", brotliCompressSync(text)],
    ["zstd", "zstd", zstdCompressSync(text)],
  ])("of %s", (_name, coding, body) => {
    expect(inflate(body, coding, 1_000)).toBe(text);
    expect(inflate(body, coding, 999)).toBe("too_large");
  });

  it("of each coding of several, not only of the last", () => {
    expect(inflate(gzipSync(Buffer.alloc(10_000)), "br, gzip", 999)).toBe("too_large");
    expect(inflate(gzipSync(Buffer.alloc(10_000)), "deflate, gzip", 999)).toBe("too_large");
  });

  it("and a frame of zstd may ask for 8 MiB of memory, not for more", () => {
    // Magic number, no flags, the window, one last raw block of two bytes.
    const frame = (window: number) =>
      Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0, window, (2 << 3) | 1, 0, 0, 0x7b, 0x7d);
    const [EIGHT_MIB, NINE_MIB] = [13 << 3, (13 << 3) | 1];
    expect(inflate(frame(EIGHT_MIB), "zstd")).toBe("{}");
    expect(inflateBody(frame(NINE_MIB), "zstd", 1_000)).toEqual(frame(NINE_MIB));
  });
});

it("a body that was cut off on its way gives what can be had of it", () => {
  const text = Array.from({ length: 300 }, (_, index) => `line ${index}`).join("\n");
  for (const [coding, body] of [
    ["gzip", gzipSync(text)],
    ["deflate", deflateSync(text)],
    ["br", brotliCompressSync(text)],
  ] as const) {
    const some = inflate(body.subarray(0, -20), coding, 10_000);
    expect(some.length, coding).toBeGreaterThan(100);
    expect(text.startsWith(some), coding).toBe(true);
  }
});
