import { spawnSync } from "node:child_process";
import { installTools, toolProgram } from "./tools.ts";

// `node tools/run-tool.ts osls package`: a program of tools/, in the folder of whoever calls.
const [name = "", ...words] = process.argv.slice(2);
installTools();
const { status, error } = spawnSync(toolProgram(name), words, { stdio: "inherit" });
if (error !== undefined) throw error;
process.exitCode = status ?? 1;
