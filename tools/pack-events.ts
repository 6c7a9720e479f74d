import { spawnSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join, resolve } from "node:path";

// `npm run pack:events`: builds what consumers install, and packs it into invoice-relay-events-<version>.tgz,
// here or in the folder that is named.
const root = resolve(import.meta.dirname, "..");
const built = join(root, "dist/src/events");
const run = (command: string, words: string[]) => {
  const { status } = spawnSync(command, words, { cwd: root, stdio: "inherit" });
  // What is wrong stands above.
  if (status !== 0) process.exit(status ?? 1);
};

run(process.execPath, ["tools/build.ts"]);
cpSync(join(root, "src/events/README.md"), join(built, "README.md"));
cpSync(join(root, "docs/events/invoice.paid.v1.schema.json"), join(built, "invoice.paid.v1.schema.json"));
run("npm", ["pack", built, "--pack-destination", resolve(process.argv[2] ?? root)]);
