import { Command, CommanderError } from "commander";
import { RelayError } from "../kit/errors.ts";
import { programVersion } from "../kit/program-version.ts";
import type { CommandContext } from "./command-context.ts";
import { alarmsCommand } from "./commands/alarms.ts";
import { apiCommand } from "./commands/api.ts";
import { auditCommand } from "./commands/audit.ts";
import { callbackUrlCommand } from "./commands/callback-url.ts";
import { certificateCommand } from "./commands/certificate.ts";
import { certifyCommand } from "./commands/certify.ts";
import { collectionServiceCommand } from "./commands/collection-service.ts";
import { completionCommand } from "./commands/completion.ts";
import { demoCommand } from "./commands/demo.ts";
import { devCommand } from "./commands/dev.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { eraseCommand } from "./commands/erase.ts";
import { invoiceCommand } from "./commands/invoice.ts";
import { invoicesCommand } from "./commands/invoices.ts";
import { localSnsCommand } from "./commands/local-sns.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { pauseCommand, resumeCommand } from "./commands/pause.ts";
import { reconcileCommand } from "./commands/reconcile.ts";
import { replayCommand } from "./commands/replay.ts";
import { retentionCommand } from "./commands/retention.ts";
import { sandboxCommand } from "./commands/sandbox.ts";
import { serveCommand } from "./commands/serve.ts";
import { statusCommand } from "./commands/status.ts";
import { deadCommand, quarantineCommand } from "./commands/undelivered.ts";
import { tellError } from "./tell-error.ts";
import { plainLines } from "./terminal-text.ts";

/**
 * How a command is added:
 * 1. `commands/<name>.ts` exports `<name>Command(context: CommandContext): Command`. It is thin: the work is
 *    done by a function of the room concerned that takes `{ db, … }`, so that the admin API can call the same
 *    function. Modules that are slow to load (app, publish, database) are imported inside the action, so that
 *    `--help` stays fast.
 * 2. It prints its result with `context.show(value, human)`: as JSON with `--json`, which every command
 *    accepts, otherwise as text (tables from table.ts). Remarks go to stderr through `context.remark`,
 *    progress through progress.ts.
 * 3. It opens the database with `context.withDatabase`, reads settings with `context.settings`, throws a
 *    RelayError for anything a person should read (its `code` sets the exit code), and calls
 *    `context.fault()` when what it found is bad news, for exit code 1.
 * 4. It is added to the list below, in help order.
 */
const commands: ((context: CommandContext) => Command)[] = [
  devCommand,
  demoCommand,
  serveCommand,
  migrateCommand,
  doctorCommand,
  statusCommand,
  alarmsCommand,
  auditCommand,
  callbackUrlCommand,
  apiCommand,
  invoiceCommand,
  invoicesCommand,
  reconcileCommand,
  certifyCommand,
  certificateCommand,
  replayCommand,
  deadCommand,
  quarantineCommand,
  pauseCommand,
  resumeCommand,
  retentionCommand,
  eraseCommand,
  collectionServiceCommand,
  localSnsCommand,
  sandboxCommand,
  completionCommand,
];

/** The whole command line; nothing runs before `parseAsync`. */
export function createProgram(context: CommandContext): Command {
  const program = new Command("invoice-relay")
    .description("Records payment callbacks, confirms them with the provider, publishes invoice.paid to SNS.")
    .version(programVersion(), "--version", "print the version")
    .option("--json", "print the result, or an error, as JSON")
    .option("--settings <file>", "read settings from a file like .env.example; the environment wins")
    .configureHelp({ showGlobalOptions: true, styleTitle: (title) => context.paint("title", title) })
    .configureOutput({
      writeOut: (text) => void context.stdout.write(plainLines(text)),
      // With --json the error is printed as JSON below.
      writeErr: (text) => void (context.json || context.stderr.write(plainLines(text))),
      getOutHasColors: () => context.isColourful,
    })
    .showHelpAfterError("Use --help to see the arguments and options.")
    .exitOverride()
    .hook("preAction", async (root) => {
      const { settings } = root.opts<{ settings?: string }>();
      await context.begin({ settingsFile: settings ?? null });
    });
  for (const create of commands) {
    const command = create(context).copyInheritedSettings(program);
    program.addCommand(command);
    for (const inner of command.commands) inner.copyInheritedSettings(command);
  }
  return program;
}

/**
 * Runs one command line, without the program's own name.
 * @returns the exit code: 0 done, 1 a finding or fault, 2 used wrongly, 3 not found, 4 a dependency is away
 */
export async function runProgram(words: readonly string[], context: CommandContext): Promise<number> {
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
    if (!(error instanceof CommanderError)) return tellError(error, context);
    // Help and version are not errors; anything else Commander has already printed, except with --json.
    if (error.exitCode === 0) return 0;
    const message = error.message.replace(/^error: /, "");
    if (context.json) tellError(new RelayError(message, { code: "usage" }), context);
    return 2;
  }
}
