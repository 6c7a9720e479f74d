import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FAILPOINTS } from "../../lab/crash/failpoints.ts";

const SOURCES = join(import.meta.dirname, "../../src");

it("every failpoint in the program is in the matrix, and has a unique name", () => {
  const named = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [...readFileSync(join(SOURCES, file), "utf8").matchAll(/\bstep\("([^"]+)"\)/g)])
    .map(([, name]) => name);
  expect(named.toSorted()).toEqual(FAILPOINTS.map(({ name }) => name).toSorted());
});
