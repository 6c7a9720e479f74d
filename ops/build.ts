import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildPages } from "../src/console/build-pages.ts";

// `npm run build`: src and migrations become JavaScript in dist/, with the files they read beside them;
// the console's pages become dist/console.
const root = resolve(import.meta.dirname, "..");
rmSync(join(root, "dist"), { recursive: true, force: true });
const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
// What is wrong stands above.
if (status !== 0) process.exit(status ?? 1);
for (const folder of ["src", "migrations"]) {
  for (const file of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
    if (/\.(ts|md|txt)$/.test(file) || !file.includes(".")) continue;
    if (join(folder, file).startsWith("src/console/pages")) continue;
    cpSync(join(root, folder, file), join(root, "dist", folder, file), { recursive: true });
  }
}
await buildPages(join(root, "dist/console"));
