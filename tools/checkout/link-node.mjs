// npm's `prepare` in a checkout: its own Node 24 stands first on the path of npm's scripts. npm 11 has linked
// it by now; npm 10 takes the link away again, together with those of other platforms' packages.
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";

const modules = join(import.meta.dirname, "../../node_modules");
const program = `node-${process.platform}-${process.arch}/bin/node`;
const link = join(modules, ".bin/node");
if (existsSync(join(modules, program)) && !existsSync(link)) {
  mkdirSync(join(modules, ".bin"), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(`../${program}`, link);
}
