import { Command, CommanderError, InvalidArgumentError } from "commander";
import {
  databaseFault,
  type ErrorCode,
  messageOf,
  RelayError,
  type Remedy,
  stackOf,
  usageError,
  withCommand,
} from "../../platform/errors/index.ts";
import { programVersion } from "../../platform/process/index.ts";
import { CommandContext } from "./command-context.ts";
import { plainLines } from "./table.ts";

/**
 * Every command, in the order of the help. Most are made of their operation by `operationCommand`; any other is a
 * function `<name>Command(context)` in `commands/`, which imports slow modules (runtime, sandbox) inside its action,
 * prints with `context.show(value, human)` and throws a RelayError for anything a person should read.
 */
const groups: Readonly<Record<string, Readonly<Record<string, () => Promise<Create>>>>> = {
  "Run it:": {
    serve: async () => (await import("./commands/serve.ts")).serveCommand,
    migrate: async () => (await import("./commands/serve.ts")).migrateCommand,
    doctor: async () => (await import("./commands/serve.ts")).doctorCommand,
    "callback-url": async () => (await import("./commands/serve.ts")).callbackUrlCommand,
    retention: async () => (await import("./commands/status.ts")).retentionCommand,
  },
  "How it does:": {
    status: async () => (await import("./commands/status.ts")).statusCommand,
    alarms: async () => (await import("./commands/upstreams.ts")).alarmsCommand,
    audit: async () => (await import("./commands/status.ts")).auditCommand,
  },
  "Payments:": {
    invoice: async () => (await import("./commands/invoices.ts")).invoiceCommand,
    invoices: async () => (await import("./commands/invoices.ts")).invoicesCommand,
    callbacks: async () => (await import("./commands/invoices.ts")).callbacksCommand,
    evidence: async () => (await import("./commands/invoices.ts")).evidenceCommand,
    erase: async () => (await import("./commands/invoices.ts")).eraseCommand,
  },
  "Trouble:": {
    dead: async () => (await import("./commands/undelivered.ts")).deadCommand,
    quarantine: async () => (await import("./commands/undelivered.ts")).quarantineCommand,
    replay: async () => (await import("./commands/replay.ts")).replayCommand,
    pause: async () => (await import("./commands/upstreams.ts")).pauseCommand,
    resume: async () => (await import("./commands/upstreams.ts")).resumeCommand,
  },
  "Proof and books:": {
    reconcile: async () => (await import("./commands/proof.ts")).reconcileCommand,
    certify: async () => (await import("./commands/proof.ts")).certifyCommand,
    certificate: async () => (await import("./commands/proof.ts")).certificateCommand,
    report: async () => (await import("./commands/proof.ts")).reportCommand,
  },
  "The provider:": {
    api: async () => (await import("./commands/api.ts")).apiCommand,
  },
  "On this machine:": {
    dev: async () => (await import("./commands/dev.ts")).devCommand,
    demo: async () => (await import("./commands/dev.ts")).demoCommand,
    "collection-service": async () => (await import("./commands/sandbox.ts")).collectionServiceCommand,
    "local-sns": async () => (await import("./commands/sandbox.ts")).localSnsCommand,
    sandbox: async () => (await import("./commands/sandbox.ts")).sandboxCommand,
  },
};

type Create = (context: CommandContext) => Command;

/** The line of each command in the overall help. */
export const helpOf = (program: Command): Record<string, string> =>
  Object.fromEntries(
    program.commands.map((command) => [program.createHelp().subcommandTerm(command), command.description()]),
  );

/** Refuses an empty file name, which would be the folder itself. */
function refuseNoFile(command: Command): void {
  for (const option of command.options) if (option.flags.includes("<file>")) option.argParser(fileValue);
  for (const argument of command.registeredArguments)
    if (argument.name() === "file") argument.argParser(fileValue);
  for (const inner of command.commands) refuseNoFile(inner);
}

function fileValue(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError("It should name a file.");
}

/**
 * The command line; nothing runs before `parseAsync`.
 * @param words the commands named there are loaded alone
 */
export async function createProgram(
  context: CommandContext,
  words: readonly string[] = [],
): Promise<Command> {
  const program = new Command("invoice-relay")
    .description("Records payment callbacks, confirms them with the provider, publishes invoice.paid to SNS.")
    .version(programVersion(), "--version", "print the version")
    .option("--json", "print the result, or an error, as JSON")
    .option("--settings <file>", "read settings from a file like .env.example; the environment wins")
    .configureHelp({
      showGlobalOptions: true,
      minWidthToWrap: 20,
      // Options of `alarms` are not for its subcommands.
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
  const named = Object.values(groups)
    .flatMap(Object.keys)
    .filter((name) => words.includes(name));
  for (const [heading, commands] of Object.entries(groups))
    for (const [name, load] of Object.entries(commands)) {
      if (named.length > 0 && !named.includes(name)) continue;
      const command = (await load())(context);
      program.addCommand(command.copyInheritedSettings(program).helpGroup(heading));
      for (const inner of command.commands) inner.copyInheritedSettings(command);
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
  try {
    const program = await createProgram(context, words);
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
 * Ends the process once its output is read. A connection whose other end has gone silent would keep the process
 * alive for minutes, until the network gives it up.
 */
function endSoon(): void {
  const timer = setInterval(() => {
    if (process.stdout.writableLength + process.stderr.writableLength === 0) process.exit();
  }, CLOSING_MS);
  timer.unref();
}

/** Exit codes: 0 done, 1 a finding or fault, 2 used wrongly, 3 not found, 4 a dependency is away. */
const EXIT_CODES: Record<ErrorCode, number> = {
  failed: 1,
  unexpected: 1,
  usage: 2,
  settings: 2,
  not_found: 3,
  database_away: 4,
  provider_away: 4,
};

interface ErrorReport {
  code: ErrorCode;
  message: string;
  remedy?: Remedy;
}

/**
 * The one place that reports an error: what is wrong and what to do, with a stack only at LOG_LEVEL=debug.
 * With `--json` it prints `{"error": {"code", "message"}}` on stdout, with a `remedy` where there is one.
 * @returns the exit code
 */
export function reportError(error: unknown, context: CommandContext): number {
  const report = errorReportOf(error);
  if (context.json) context.print(JSON.stringify({ error: report }, null, 2));
  else context.remark(withCommand(report.message, report.remedy));
  if (["debug", "trace"].includes(context.environment.LOG_LEVEL ?? "") && error instanceof Error)
    context.remark(stackOf(error).replaceAll(/^/gm, "    "));
  return EXIT_CODES[report.code];
}

/** RelayErrors explain themselves, common database faults are explained here, anything else is unexpected. */
export function errorReportOf(error: unknown): ErrorReport {
  if (error instanceof RelayError) {
    const { code, message, remedy } = error;
    return { code, message, ...(remedy && { remedy }) };
  }
  const fault = databaseFault(error);
  if (fault !== null) return { code: fault.code, message: fault.words };
  const lacking = /^Cannot find package '([^']+)'/.exec(messageOf(error))?.[1];
  if (lacking !== undefined)
    return {
      code: "failed",
      message: `This needs the package ${lacking}, which is not installed. Run: npm install --save-dev ${lacking}`,
    };
  const message =
    `Something went wrong that invoice-relay did not expect: ${messageOf(error)}. LOG_LEVEL=debug shows ` +
    "where.";
  return { code: "unexpected", message };
}
