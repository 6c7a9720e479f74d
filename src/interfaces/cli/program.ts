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
import { SOME_ID as ID } from "../../platform/values/index.ts";
import { CommandContext } from "./command-context.ts";
import HELP from "./help.json" with { type: "json" };
import { plainLines } from "./table.ts";

/**
 * How a command is added:
 * 1. A task that exists over HTTP too is an operation: it stands in `operations/list/`, its `command` names its
 *    words, heading and example, and its `view` is the text that a person reads. One with more to it (files,
 *    questions) is made by `operationCommand` in `commands/`.
 * 2. Any other is a function `<name>Command(context)` in `commands/`. Slow modules (runtime, sandbox) are imported
 *    inside its action, so that `--help` stays fast. It prints with `context.show(value, human)`: as JSON
 *    with `--json`, otherwise as text; remarks go to stderr through `context.remark`. It throws a RelayError for
 *    anything a person should read (its `code` sets the exit code), and calls `context.fault()` for bad news.
 * 3. It is added to its group below, in help order, and its example to `EXAMPLES`; then `npm run documents`.
 */
const groups: Readonly<Record<string, Readonly<Record<string, () => Promise<Create>>>>> = {
  "Run it:": {
    serve: async () => (await import("./commands/serve.ts")).serveCommand,
    migrate: async () => (await import("./commands/serve.ts")).migrateCommand,
    doctor: async () => (await import("./commands/serve.ts")).doctorCommand,
    "callback-url": async () => (await import("./commands/serve.ts")).callbackUrlCommand,
  },
  "How it does:": {
    status: async () => (await import("./commands/status.ts")).statusCommand,
    alarms: async () => (await import("./commands/upstreams.ts")).alarmsCommand,
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

const loadDeclared = () => import("./declared-commands.ts");

/** A command with those that operations declare for its group, and its examples. */
async function makeCommand(
  context: CommandContext,
  name: string,
  load: (() => Promise<Create>) | undefined,
  declared: Readonly<Record<string, string | null>>,
): Promise<Command> {
  const paths = Object.keys(declared).filter((path) => path === name || path.startsWith(`${name} `));
  const command = await load?.().then((create) => create(context));
  if (command !== undefined && paths.length === 0) return addExamples(command);
  const { declaredCommand, declaredExample } = await loadDeclared();
  const made = command ?? declaredCommand(context, name);
  for (const path of paths) if (path !== name) made.addCommand(declaredCommand(context, path));
  return addExamples(made, made.name(), declaredExample);
}

type Create = (context: CommandContext) => Command;

/** The line of each command in the overall help, for help.json. */
export const helpOf = (program: Command): Record<string, string> =>
  Object.fromEntries(
    program.commands.map((command) => [program.createHelp().subcommandTerm(command), command.description()]),
  );

/** The content of help.json: `--help` knows it without loading an operation. */
export const helpFile = async (program: Command) => ({
  commands: helpOf(program),
  declared: (await loadDeclared()).declaredHeadings(),
});

/** A command as the help of all shows it, and no more. */
function stubOf(name: string): Command {
  const [term, description] = Object.entries(HELP.commands).find(([one]) => one.split(" ")[0] === name) ?? [
    "",
    "",
  ];
  const stub = new Command(name).description(description);
  for (const argument of term.split(" ").slice(1)) stub.argument(argument);
  return stub;
}

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
 * @param words those of its commands that they name are loaded, and the others stand in the help only; all are
 *   loaded when left out.
 */
export async function createProgram(context: CommandContext, words?: readonly string[]): Promise<Command> {
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
  const declared = words === undefined ? (await loadDeclared()).declaredHeadings() : HELP.declared;
  for (const [heading, commands] of Object.entries(groups)) {
    const alone = Object.entries(declared).flatMap(([name, its]) => (its === heading ? name : []));
    for (const name of [...Object.keys(commands), ...alone]) {
      const isNamed = words?.includes(name) ?? true;
      const command = isNamed ? await makeCommand(context, name, commands[name], declared) : stubOf(name);
      program.addCommand(command.copyInheritedSettings(program).helpGroup(heading));
      for (const inner of command.commands) inner.copyInheritedSettings(command);
    }
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

/**
 * Arguments that help shows after the name of each command; a group's stand after those of its commands. A command
 * left out here takes no argument, or an id.
 */
const EXAMPLES: Readonly<Record<string, string | readonly string[]>> = {
  dev: "--database postgres://localhost/relay",
  demo: "--database postgres://localhost/relay",
  serve: "--workers-only",
  alarms: "--all --name source_failing --limit 20",
  "alarms close": 'event_dead --reason "sent again by hand"',
  "callback-url": "--reference ORDER-4711",
  // It shows its own.
  api: [],
  "callbacks list": "--verdict refused --from 2026-10-01",
  invoices: "--reference order-7",
  reconcile: "--from 2026-10-01 --to 2026-10-31",
  certify: "--from 2026-10-01 --to 2026-10-31",
  "certificate list": "--result not_equal",
  "certificate show": ID,
  "certificate verify": "certificate.json",
  report: "payments --from 2026-10-01 --to 2026-10-31 --out payments.xlsx",
  "replay confirmations": "--from 2026-10-01 --to 2026-10-02 --dry-run",
  "replay callbacks": "--from 2026-10-01 --dry-run",
  "replay events": `--invoice ${ID} --reason lost`,
  "replay resume": `${ID} --reason "the topic is back"`,
  "replay cancel": `${ID} --reason "too much"`,
  "dead list": "--kind event",
  "dead retry": `${ID} --reason fixed`,
  "dead dismiss": `${ID} --reason "a test"`,
  "quarantine list": "--collection Fees --from 2026-10-01",
  "quarantine release": `${ID} --reason "ours after all"`,
  "quarantine dismiss": `${ID} --reason "not ours"`,
  "pause confirm": "--reason maintenance",
  "pause publish": "--reason maintenance",
  "resume confirm": '--source default --reason "the provider is back"',
  "resume publish": '--reason "SNS is back"',
  evidence: `${ID} --out payment.zip`,
  erase: `${ID} --dry-run`,
  "collection-service": "--port 8090",
  "local-sns": "--port 4566",
  "sandbox pay": `${ID} --twice --method USSD`,
};

function examplesOf(command: Command, path: string, declared: ExampleOf): string[] {
  const inner = command.commands.flatMap((one) => examplesOf(one, `${path} ${one.name()}`, declared));
  const id = command.registeredArguments.length > 0 ? ID : "";
  const own = EXAMPLES[path] ?? declared(path) ?? (inner.length > 0 ? [] : id);
  return [...[own].flat().map((rest) => `invoice-relay ${path} ${rest}`.trim()), ...inner];
}

type ExampleOf = (path: string) => string | undefined;

/** Ends the help of the command, and of each inside of it, with its examples. */
function addExamples(
  command: Command,
  path = command.name(),
  declared: ExampleOf = () => undefined,
): Command {
  const lines = examplesOf(command, path, declared).map((line) => `  ${line}`);
  if (lines.length > 0) command.addHelpText("after", `\nExamples:\n${lines.join("\n")}`);
  for (const inner of command.commands) addExamples(inner, `${path} ${inner.name()}`, declared);
  return command;
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
  const told = errorReportOf(error);
  if (context.json) context.print(JSON.stringify({ error: told }, null, 2));
  else context.remark(withCommand(told.message, told.remedy));
  if (["debug", "trace"].includes(context.environment.LOG_LEVEL ?? "") && error instanceof Error)
    context.remark(stackOf(error).replaceAll(/^/gm, "    "));
  return EXIT_CODES[told.code];
}

/** RelayErrors explain themselves, common database faults are explained here, anything else is unexpected. */
export function errorReportOf(error: unknown): ErrorReport {
  if (error instanceof RelayError) {
    const { code, message, remedy } = error;
    return { code, message, ...(remedy && { remedy }) };
  }
  const missing = missingPackage(error);
  if (missing !== null)
    return {
      code: "failed",
      message: `The package ${missing} is not installed. In a checkout, run: npm ci --include=dev`,
    };
  const fault = databaseFault(error);
  if (fault !== null) return { code: fault.code, message: fault.words };
  const message =
    `Something went wrong that invoice-relay did not expect: ${messageOf(error)}. LOG_LEVEL=debug shows ` +
    "where.";
  return { code: "unexpected", message };
}

/** Names the development package that NODE_ENV or npm's `omit` has left out. */
function missingPackage(error: unknown): string | null {
  if (!(error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND")) return null;
  return /Cannot find package '([^']+)'/.exec(error.message)?.[1] ?? null;
}
