import { CommandContext } from "./command-context.ts";
import { runProgram } from "./program.ts";

/** Runs the command line of this process. How a command is added stands in program.ts. */
export async function runMain(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      // Whoever read our output left, as `head` does: nothing more to say, and nothing went wrong.
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
}
