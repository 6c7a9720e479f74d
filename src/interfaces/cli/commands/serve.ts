import { Command } from "commander";
import { makePartitions } from "../../../pipeline/receive/index.ts";
import { describedSources, SERVE_REQUIRES } from "../../../platform/config/index.ts";
import { migrateToLatest, schemaState } from "../../../platform/database/index.ts";
import { usageError } from "../../../platform/errors/index.ts";
import { plainText } from "../../../platform/values/index.ts";
import type { CommandContext } from "../command-context.ts";
import { nameValue } from "../option-values.ts";
import { plainJson, table } from "../table.ts";

export function serveCommand(context: CommandContext): Command {
  return new Command("serve")
    .description("receive callbacks, confirm them, publish events; stops within 10 s of SIGTERM")
    .option("--no-workers", "receive callbacks only; another process confirms and publishes")
    .option("--workers-only", "confirm and publish only; listens on no port but OPS_PORT")
    .action(async ({ workers, workersOnly }: { workers: boolean; workersOnly?: true }) => {
      if (!workers && workersOnly === true)
        throw usageError("--no-workers and --workers-only together leave nothing to do. Choose one.");
      const settings = context.settings(SERVE_REQUIRES);
      const { endOnUncaught, serve } = await import("../../../runtime/serve.ts");
      const { createLogger } = await import("../../../platform/log/index.ts");
      const log = createLogger({
        level: settings.LOG_LEVEL,
        destination: { write: (line) => void context.stdout.write(plainJson(line)) },
      });
      endOnUncaught(log);
      const stop = context.listenForStop();
      const relay = await serve({ settings, log, workers, http: workersOnly !== true, stop: stop.signal });
      const doing = [workersOnly !== true && "takes callbacks", workers && "confirms and publishes"];
      if (!stop.signal.aborted)
        log.info(
          { port: relay.port, opsPort: relay.opsPort, console: relay.consoleUrl },
          `invoice-relay ${doing.filter(Boolean).join(", ")}`,
        );
      await stop.asked;
      log.info("stopping: no new callbacks; work in progress is finished or released");
      await stop.finish(relay.stop());
      log.info("stopped");
    });
}

const MARKS = { ok: "ok     ", warning: "warn   ", fault: "FAULT  " };

/**
 * `invoice-relay doctor`: one line for each thing that `serve` needs; exit code 1 on a fault, 4 when another
 * service is away.
 */
export function doctorCommand(context: CommandContext): Command {
  return new Command("doctor")
    .description("check settings, database, provider key and topics; changes nothing")
    .action(async () => {
      const { doctor } = await import("../../../runtime/doctor.ts");
      const checks = [];
      for await (const check of doctor(context.environment)) {
        checks.push(check);
        if (!context.json) context.print(`${MARKS[check.state]}${check.about}: ${plainText(check.says)}`);
      }
      const found = checks.filter((check) => check.state === "fault");
      const faults = found.length;
      if (faults > 0) context.fault();
      if (faults > 0 && found.every(({ away }) => away === true)) context.away();
      if (context.json) context.print(JSON.stringify({ healthy: faults === 0, checks }, null, 2));
      else if (context.exitCode === 4)
        context.print("\nNothing is wrong here, but something does not answer: see the lines marked FAULT.");
      else if (faults > 0)
        context.print(`\n${faults === 1 ? "1 fault" : `${faults} faults`}: see the lines marked FAULT.`);
      else context.print("\nNo fault: serve can start.");
    });
}

export function callbackUrlCommand(context: CommandContext): Command {
  return new Command("callback-url")
    .description("print the callBackUrl to create invoices with; it contains the secret token")
    .option("--reference <reference>", "your own reference for the invoice, included in its event", nameValue)
    .action(async ({ reference }: { reference?: string }) => {
      const { callbackUrl, callbackUrlWarnings } = await import("../../../runtime/callback-url.ts");
      const settings = context.settings(["PUBLIC_URL", "CALLBACK_TOKENS"]);
      const urls = describedSources(settings).flatMap(({ name: source, callbackTokens = [] }) =>
        callbackTokens.map((token) => ({
          source,
          url: callbackUrl(settings.PUBLIC_URL, token.reveal(), reference),
        })),
      );
      const warnings = [...new Set(urls.flatMap(({ url }) => callbackUrlWarnings(url)))];
      const lines = () =>
        urls.every(({ source }) => source === urls[0]?.source)
          ? urls.map(({ url }) => url).join("\n")
          : table(urls, { source: "source", callBackUrl: "url" });
      // Not `show`, which masks tokens.
      context.print(context.json ? JSON.stringify({ urls, warnings }, null, 2) : lines());
      if (!context.json) for (const warning of warnings) context.remark(`Warning: ${warning}`);
    });
}

export function migrateCommand(context: CommandContext): Command {
  return new Command("migrate")
    .description("bring the database schema up to date; safe to repeat and to run concurrently")
    .action(async () => {
      const { DATABASE_URL } = context.settings(["DATABASE_URL"]);
      const { connect } = await import("../../../platform/database/index.ts");
      const applicationName = "invoice-relay migrate";
      const { db, close } = connect(DATABASE_URL, { max: 2, purpose: "migrate", applicationName });
      try {
        const migrations = await migrateToLatest(db, "relay");
        const partitions = await makePartitions(db);
        const schema = await schemaState(db, "relay");
        context.show({ migrations, partitions, schema: schema.state }, (done) => {
          const steps = [...done.migrations.map((name) => `ran migration ${name}`)];
          if (steps.length === 0) steps.push("no migration to run");
          steps.push(...done.partitions.map((name) => `made partition ${name}`));
          steps.push(
            done.schema === "ahead"
              ? "The schema is newer than this program, which works with it."
              : "The schema is current.",
          );
          return steps.join("\n");
        });
      } finally {
        await close();
      }
    });
}
