import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { inflateBody } from "../../../src/receive/reading/decode-body.ts";

const inflate = (body: Uint8Array, contentEncoding: string | null, limit = 1_000) => {
  const bytes = inflateBody(body, contentEncoding, limit);
  return bytes === "too_large" ? bytes : Buffer.from(bytes).toString();
};

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
