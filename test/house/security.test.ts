import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { readSourcesFile } from "../../src/kit/sources-file.ts";
import { sourcesFile } from "../support/sources-file.ts";

const root = resolve(import.meta.dirname, "../..");
const document = readFileSync(join(root, "docs/security.md"), "utf8");

describe("docs/security.md", () => {
  it("shows a file of sources that the relay takes", () => {
    const [, example = ""] = /```json\n([\s\S]*?)```/.exec(document) ?? [];
    const names = ["SHOP_A_KEY", "SHOP_A_HMAC", "SHOP_A_HEADER"].map((name) => [
      name,
      "a-secret-of-some-length",
    ]);
    const environment = {
      ...Object.fromEntries(names),
      SHOP_A_TOKEN: "a-token-of-22-characters-",
      SHOP_A_WEBHOOK: `whsec_${Buffer.alloc(24, "a").toString("base64")}`,
    };
    const { sources, problems } = readSourcesFile(sourcesFile(example), environment);
    expect(problems).toEqual([]);
    expect(sources.map(({ name }) => name)).toEqual(["shop-a"]);
  });
});
