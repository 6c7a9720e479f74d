import { Command, CommanderError } from "commander";
import { usageError } from "../kit/errors.ts";
import { programVersion } from "../kit/program-version.ts";
import { CommandContext } from "./command-context.ts";
import { alarmsCommand } from "./commands/alarms.ts";
import { apiCommand } from "./commands/api.ts";
import { callbacksCommand } from "./commands/callbacks.ts";
import { certificateCommand, certifyCommand } from "./commands/certificate.ts";
import { demoCommand, devCommand } from "./commands/dev.ts";
import { eraseCommand, retentionCommand } from "./commands/erase.ts";
import { evidenceCommand, invoiceCommand, invoicesCommand } from "./commands/invoices.ts";
import { collectionServiceCommand, localSnsCommand } from "./commands/local-services.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { pauseCommand, resumeCommand } from "./commands/pause.ts";
import { reconcileCommand } from "./commands/reconcile.ts";
import { replayCommand } from "./commands/replay.ts";
import { reportCommand } from "./commands/report.ts";
import { sandboxCommand } from "./commands/sandbox.ts";
import { callbackUrlCommand, doctorCommand, serveCommand } from "./commands/serve.ts";
import { auditCommand, statusCommand } from "./commands/status.ts";
import { deadCommand, quarantineCommand } from "./commands/undelivered.ts";
import { addExamples } from "./examples.ts";
import { refuseNoFile } from "./option-values.ts";
import { reportError } from "./report-error.ts";
import { plainLines } from "./terminal-text.ts";

/**
 * How a command is added:
 * 1. What a person may also do over HTTP is an operation: it stands in `operate/operations/`, and its command is
 *    made from it by `operationCommand`, which adds a name and what a person reads.
 * 2. Any other is a function `<name>Command(context)` in `commands/`. What is slow to load (app, sandbox) is
 *    imported inside its action, so that `--help` stays fast. It prints with `context.show(value, human)`: as JSON
 *    with `--json`, otherwise as text; remarks go to stderr through `context.remark`. It throws a RelayError for
 *    anything a person should read (its `code` sets the exit code), and calls `context.fault()` for bad news.
 * 3. It is added to its group below, in help order, and two lines of it to `examples.ts`.
 */
const groups: Readonly<Record<string, readonly ((context: CommandContext) => Command)[]>> = {
  "Run it:": [serveCommand, migrateCommand, doctorCommand, callbackUrlCommand, retentionCommand],
  "How it does:": [statusCommand, alarmsCommand, auditCommand],
  "One payment:": [invoiceCommand, invoicesCommand, callbacksCommand, evidenceCommand, eraseCommand],
  "Trouble:": [deadCommand, quarantineCommand, replayCommand, pauseCommand, resumeCommand],
  "Proof and books:": [reconcileCommand, certifyCommand, certificateCommand, reportCommand],
  "The provider:": [apiCommand],
  "On this machine:": [devCommand, demoCommand, collectionServiceCommand, localSnsCommand, sandboxCommand],
};

/** The whole command line; nothing runs before `parseAsync`. */
export function createProgram(context: CommandContext): Command {
  const program = new Command("invoice-relay")
    .description("Records payment callbacks, confirms them with the provider, publishes invoice.paid to SNS.")
    .version(programVersion(), "--version", "print the version")
    .option("--json", "print the result, or an error, as JSON")
    .option("--settings <file>", "read settings from a file like .env.example; the environment wins")
    .configureHelp({
      showGlobalOptions: true,
      minWidthToWrap: 20,
      // Those of `alarms` are not for the commands in them.
      visibleGlobalOptions: ({ parent }) =>
        parent === null ? [] : (parent.parent ?? parent).options.slice(),
    })
    .configureOutput({
      writeOut: (text) => void context.stdout.write(plainLines(text)),
      // With --json the error is printed as JSON below.
      writeErr: (text) => void (context.json || context.stderr.write(plainLines(text))),
    })
    .showHelpAfterError("Use --help to see the arguments and options.")
    .exitOverride()
    .hook("preAction", async (root) => {
      const { settings } = root.opts<{ settings?: string }>();
      await context.begin({ settingsFile: settings ?? null });
    });
  for (const [heading, commands] of Object.entries(groups))
    for (const create of commands) {
      const command = create(context).copyInheritedSettings(program).helpGroup(heading);
      program.addCommand(command);
      for (const inner of command.commands) inner.copyInheritedSettings(command);
      addExamples(command);
    }
  refuseNoFile(program);
  return program;
}

/**
 * Runs one command line, without the program's own name.
 * @returns the exit code: 0 done, 1 a finding or fault, 2 used wrongly, 3 not found, 4 a dependency is away
 */
export async function runProgram(words: readonly string[], context: CommandContext): Promise<number> {
  // Before it is parsed, so that a usage error is JSON as well.
  context.json = words.includes("--json");
  const program = createProgram(context);
  try {
    if (words.length === 0) {
      program.outputHelp();
      return 0;
    }
    await program.parseAsync(words, { from: "user" });
    return context.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportError(error, context);
    // Help and version are not errors; anything else Commander has already printed, except with --json.
    if (error.exitCode === 0) return 0;
    const message = error.message.replace(/^error: /, "");
    if (context.json) reportError(usageError(message), context);
    return 2;
  }
}

/** Runs the command line of this process. program.ts describes how to add a command. */
export async function runMain(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      // The reader closed the pipe, as `head` does: this is not an error.
      if (error.code === "EPIPE") process.exit();
      if (stream === process.stdout) process.stderr.write(`The output cannot be written (${error.code}).\n`);
      process.exit(1);
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
