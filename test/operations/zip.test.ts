import { randomBytes } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { zipParts } from "../../src/operations/report/file.ts";
import { readZip } from "./read-zip.ts";

const AT = new Date("2026-10-31T12:00:00Z");

it("has each file whole, also an empty one, and asks for one after the other", async () => {
  const asked: string[] = [];
  const entry = (path: string, ...parts: (string | Uint8Array)[]) => ({
    path,
    parts: async function* () {
      asked.push(path);
      yield* parts;
      asked.push(`end of ${path}`);
    },
  });
  const large = Buffer.alloc(3_000_000, "0123456789");
  const entries = [entry("a/é.txt", "é", "\n"), entry("empty"), entry("large", large)];
  const zip = Buffer.concat((await Array.fromAsync(zipParts(entries, AT))).map((part) => Buffer.from(part)));
  const { large: unpacked, ...small } = Object.fromEntries(readZip(zip));
  expect(small).toEqual({ "a/é.txt": Buffer.from("é\n"), empty: Buffer.alloc(0) });
  // Compared by itself: `toEqual` takes half a second.
  expect(unpacked?.equals(large)).toBe(true);
  expect(asked).toEqual(["a/é.txt", "end of a/é.txt", "empty", "end of empty", "large", "end of large"]);
});

it("fails with what one of its files fails with", async () => {
  const left = new Error("the database left");
  const parts = async function* () {
    yield "half";
    await nextTurn();
    throw left;
  };
  await expect(Array.fromAsync(zipParts([{ path: "a", parts }], AT))).rejects.toBe(left);
});

it("stops reading its files when nobody reads it any more", async () => {
  let isOver = false;
  const parts = async function* () {
    try {
      for (;;) {
        yield randomBytes(65_536);
        await nextTurn();
      }
    } finally {
      isOver = true;
    }
  };
  let bytes = 0;
  for await (const part of zipParts([{ path: "endless", parts }], AT)) {
    bytes += part.length;
    if (bytes > 200_000) break;
  }
  await expect.poll(() => isOver).toBe(true);
});
