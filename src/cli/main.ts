#!/usr/bin/env node
import { nodeProblem } from "./node-problem.ts";

// The entry of `invoice-relay`, and the only file here that does something when it is loaded. All else is
// imported behind the guard: an older Node would fail while loading it, in words that help nobody.
const problem = nodeProblem(process.versions.node);
if (problem === null) {
  const { runMain } = await import("./run-main.ts");
  await runMain();
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
