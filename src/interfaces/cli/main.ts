#!/usr/bin/env node
// The entry point of `invoice-relay`, and the only file here that acts when it is loaded. Everything else is
// imported after the version check: an older Node would fail while loading it, with an obscure error.

/** As in package.json's `engines`. */
const NEEDED = 24;
const { node } = process.versions;
const major = Number.parseInt(node, 10);
if (major >= NEEDED) {
  // Loading the rest takes seconds on a slow machine.
  if (/^(dev|demo)$/.test(process.argv[2] ?? "") && !process.argv.includes("--help"))
    process.stderr.write("Starting Postgres, a stand-in for the provider, one for SNS, and the relay.\n");
  const { runMain } = await import("./program.ts");
  await runMain();
} else {
  process.stderr.write(
    `invoice-relay needs Node ${NEEDED}; this is ${major} (${node}). Install Node ${NEEDED}, then try again.\n`,
  );
  process.exitCode = 1;
}

export {};
