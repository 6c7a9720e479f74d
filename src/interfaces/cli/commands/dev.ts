import { relative } from "node:path";
import { Command } from "commander";
import { explained, type Timeline } from "../../../operations/index.ts";
import { readSettings } from "../../../platform/config/index.ts";
import { indentedJson, type Secret } from "../../../platform/values/index.ts";
import { enterLocalEnvironment, type RunningDev } from "../../../runtime/index.ts";
import type { CommandContext } from "../command-context.ts";
import { renderTimeline } from "./invoices.ts";

/**
 * `invoice-relay dev` (`npm start`): runs everything on this machine, and prints what to open and what
 * happens.
 */
export function devCommand(context: CommandContext): Command {
  return new Command("dev")
    .description("run everything on this machine, with an invoice to pay; data stays in DATA_DIR")
    .option(...DATABASE_OPTION)
    .action(async ({ database }: { database?: string | true }) => {
      const stop = context.listenForStop();
      void stop.asked.then(() => context.remark("Stopping."));
      const given = localEnvironmentFor(context, database, TAKEN);
      const { buildMissingPages } = await import("../../console/index.ts");
      await Promise.race([buildMissingPages(), stop.asked]);
      if (stop.signal.aborted) return stop.release();
      const { startDev } = await import("../../../runtime/dev.ts");
      const starting = startDev({
        ...given,
        log: await context.localLog(),
        remark: (text) => context.remark(text),
        signal: stop.signal,
        onPublished: (published) =>
          context.showLine({ what: "received", ...published }, ({ event, timeline }) =>
            paidText(event, timeline, readSettings(given.environment).CURRENCY),
          ),
      });
      const running = await Promise.race([starting, stop.asked]);
      if (running !== undefined) context.showLine(whatToOpen(running), () => welcome(running));
      await stop.asked;
      // A start that the stop cuts short fails with errors of its own, which need no report.
      const started = running === undefined ? starting.catch(() => null) : starting;
      await stop.finish(
        started.then((one) => one?.local.stop()),
        GRACE_MS,
      );
    });
}

/** A step of the start that is under way, such as initdb, ends first. A second Ctrl-C cuts the wait short. */
const GRACE_MS = 60_000;

const TAKEN = ["PORT", "DATA_DIR"];

const whatToOpen = ({ local, sample, settingsFile }: RunningDev) => ({
  what: "started",
  relay: local.relayUrl,
  console: local.consoleUrl,
  adminToken: local.adminToken,
  collectionService: local.collectionServiceUrl,
  sns: local.snsUrl,
  topicArn: local.topicArn,
  postgresPort: local.postgresPort,
  invoiceId: sample.id,
  paymentUrl: sample.paymentUrl,
  settingsFile,
});

function welcome({ local, sample, dataDir, settingsFile }: RunningDev): string {
  const fromHere = relative(process.cwd(), settingsFile);
  const settings = fromHere.startsWith("..") ? settingsFile : fromHere;
  const postgres =
    local.postgresPort === null
      ? "the database of --database"
      : `127.0.0.1:${local.postgresPort}, data in ${dataDir}`;
  const startOver = local.postgresPort === null ? "" : ` To start over, stop this and delete ${dataDir}.`;
  return `The relay and its environment run here. Nothing leaves this machine.

  Pay this invoice    ${sample.paymentUrl}
  Console             ${local.consoleUrl}, sign in with ${local.adminToken}
  Relay's health      ${local.relayUrl}/readyz
  Relay's metrics     ${local.relayUrl}/metrics
  Collection API      ${local.collectionServiceUrl}/api/v1 (x-api-key: ${local.apiKey}, good for here only)
  SNS                 ${local.snsUrl}, topic ${local.topicArn}
  Postgres            ${postgres}

Open the first one in a browser and press Pay. This terminal shows the payment's way. Ctrl-C stops it all.
Meanwhile, in another terminal:
  npm run --silent relay -- --settings ${forShell(settings)} invoice ${sample.id}
A second invoice: README.md has the command.${startOver}
`;
}

/** A path as a shell reads it back. */
const forShell = (path: string): string =>
  /^[\w./:@%+,=-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;

const paidText = (event: string, timeline: Timeline, currency: string): string =>
  ["", indentedJson(event), "", renderTimeline(timeline, () => currency)].join("\n");

/** `invoice-relay demo` (`npm run demo`): one payment through every real part, and its timeline. */
export function demoCommand(context: CommandContext): Command {
  return new Command("demo")
    .description("pay one invoice through every real part on this machine, show its timeline, clean up")
    .option(...DATABASE_OPTION)
    .action(async ({ database }: { database?: string | true }) => {
      const stop = context.listenForStop();
      const given = localEnvironmentFor(context, database, []);
      const { runDemo } = await import("../../../runtime/demo.ts");
      try {
        const { event, timeline, currency } = await runDemo({
          environment: given.environment,
          database: given.database,
          log: await context.localLog(),
          report: (step) => context.remark(step),
          signal: stop.signal,
        });
        context.show({ event: JSON.parse(event), timeline, meaning: explained(timeline).meaning }, () =>
          paidText(event, timeline, currency),
        );
      } finally {
        stop.release();
      }
    });
}

/** The settings of `dev` and `demo`: only those named on purpose. */
interface LocalEnvironmentGiven {
  environment: Record<string, string | undefined>;
  /** Of `--database`; undefined for an embedded one. */
  database: Secret | undefined;
}

const DATABASE_OPTION = [
  "--database [url]",
  "use this PostgreSQL database instead of one of its own; without a URL, that of DATABASE_URL",
] as const;

/**
 * Leaves behind what the shell holds for other work.
 * @param database what `--database` was given. @param taken the variables that the command takes.
 * @throws SettingsError when the database is named wrongly.
 */
function localEnvironmentFor(
  context: CommandContext,
  database: string | true | undefined,
  taken: readonly string[],
): LocalEnvironmentGiven {
  const { DATABASE_URL } = context.environment;
  const environment: Record<string, string | undefined> = { ...context.settingsInFile };
  for (const name of taken) environment[name] = context.environment[name];
  // LOG_LEVEL changes nothing but how much is logged.
  enterLocalEnvironment(context.environment, [...taken, "LOG_LEVEL"]);
  if (database === undefined) {
    if (DATABASE_URL) context.remark("DATABASE_URL of this shell is left alone; --database would use it.");
    return { environment, database: undefined };
  }
  const url = database === true ? DATABASE_URL : database;
  return { environment, database: readSettings({ DATABASE_URL: url }, ["DATABASE_URL"]).DATABASE_URL };
}
