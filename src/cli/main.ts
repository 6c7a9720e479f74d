#!/usr/bin/env node
import { nodeProblem } from "./node-problem.ts";

// The entry point of `invoice-relay`, and the only file here that acts when it is loaded. Everything else is
// imported after the version check: an older Node would fail while loading it, with an obscure error.
const problem = nodeProblem(process.versions.node);
if (problem === null) {
  // Loading the rest takes seconds on a slow machine.
  if (/^(dev|demo)$/.test(process.argv[2] ?? "") && !process.argv.includes("--help"))
    process.stderr.write("Starting Postgres, a stand-in for the provider, one for SNS, and the relay.\n");
  const { runMain } = await import("./program.ts");
  await runMain();
} else {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
}
