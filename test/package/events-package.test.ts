import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));

it("what consumers install has the relay's version, and its zod", () => {
  const [relay, events] = [read("package.json"), read("src/events/package.json")];

  expect(events.version).toBe(relay.version);
  expect(events.dependencies).toEqual({ zod: relay.dependencies.zod });
});
