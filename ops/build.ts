import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";

// `npm run build`: src and migrations become JavaScript in dist/, with the files they read beside them.
const root = resolve(import.meta.dirname, "..");
rmSync(join(root, "dist"), { recursive: true, force: true });
const { status } = spawnSync("tsc", ["-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
// What is wrong stands above.
if (status !== 0) process.exit(status ?? 1);
for (const folder of ["src", "migrations"]) {
  for (const file of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
    if (/\.(ts|md|txt)$/.test(file) || !file.includes(".")) continue;
    cpSync(join(root, folder, file), join(root, "dist", folder, file), { recursive: true });
  }
}
