/**
 * `npm run lab -- mutation [--mutate src/pipeline/confirm/decide.ts]`: changes the code's pure decisions, a little each time,
 * and has the tests find it. Exits with 1 when too many changes pass unnoticed.
 */
import { spawnSync } from "node:child_process";
import { installTools, toolProgram } from "../../tools/tools.ts";

installTools();
const words = ["run", "lab/mutation/stryker.config.mjs", ...process.argv.slice(2)];
const { status } = spawnSync(toolProgram("stryker"), words, { stdio: "inherit" });
process.exitCode = status ?? 1;
