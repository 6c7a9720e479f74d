#!/usr/bin/env node
import { Door } from "./door.ts";
import { runProgram } from "./program.ts";

// The entry of `invoice-relay`, and the only file here that does something when it is loaded.
// How a command is added stands in program.ts.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    // Whoever read our output left, as `head` does: nothing more to say, and nothing went wrong.
    if (error.code === "EPIPE") process.exit();
    throw error;
  });
}
process.exitCode = await runProgram(
  process.argv.slice(2),
  new Door({ environment: process.env, stdout: process.stdout, stderr: process.stderr, signals: process }),
);
