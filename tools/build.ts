import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { buildPages } from "../src/interfaces/console/console-pages.ts";

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
    if (join(folder, file).startsWith("src/interfaces/console/pages")) continue;
    cpSync(join(root, folder, file), join(root, "dist", folder, file), { recursive: true });
  }
}
// Node loads the entries by `require` too, but a CommonJS project under `module` node16 takes no declarations
// of ES modules: it gets a copy of them that is named for CommonJS.
for (const part of ["provider", "events", "platform"]) {
  const folder = join(root, "dist/src", part);
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".d.ts")) continue;
    const text = readFileSync(join(folder, file), "utf8");
    const copy = text.replaceAll(/(?<="\.[^"\n]*\.)ts(?=")/g, "cts");
    writeFileSync(join(folder, file.replace(/ts$/, "cts")), copy);
  }
}
await buildPages(join(root, "dist/console"));
