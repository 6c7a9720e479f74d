import { CommandContext } from "./command-context.ts";
import { runProgram } from "./program.ts";

/** Runs the command line of this process. program.ts describes how to add a command. */
export async function runMain(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      // The reader closed the pipe, as `head` does: this is not an error.
      if (error.code === "EPIPE") process.exit();
      throw error;
    });
  }
  process.exitCode = await runProgram(
    process.argv.slice(2),
    new CommandContext({
      environment: process.env,
      stdout: process.stdout,
      stderr: process.stderr,
      stdin: process.stdin,
      signals: process,
    }),
  );
  endSoon();
}

/** How long what is still open may take to close, in ms. */
const CLOSING_MS = 1_000;

/**
 * All is done: what is open now is a connection whose other end has gone silent, and would keep the process
 * alive until the network gives it up, which takes minutes. What is still to be read of our output is waited
 * for.
 */
function endSoon(): void {
  const timer = setInterval(() => {
    if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
  }, CLOSING_MS);
  timer.unref();
}
