import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const src = resolve(import.meta.dirname, "../../src");

/** An event's id is a UUIDv5 of ours. */
const OURS = ["events/invoice-paid.ts"];

it("an id that came from outside is checked as any UUID: z.uuid() refuses some that Postgres and providers take", () => {
  const strict = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .filter((file) => /\bz\.uuid\(|\.uuid\(\)/.test(readFileSync(join(src, file), "utf8")));
  expect(strict).toEqual(OURS);
});
