import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { buildPages } from "../../../src/interfaces/console/console-pages.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

it("the console's pages are built whole, with less than 46 kB of JavaScript, gzipped", async () => {
  const folder = await temporaryFolder();
  await buildPages(folder);
  const assets = readdirSync(join(folder, "assets"));
  const scripts = assets.filter((name) => name.endsWith(".js"));
  expect(readFileSync(join(folder, "index.html"), "utf8")).toMatch(/src="\/console\/assets\/index-.*\.js"/);
  const bytes = scripts.map((name) => gzipSync(readFileSync(join(folder, "assets", name))).length);
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(46_000);
});
