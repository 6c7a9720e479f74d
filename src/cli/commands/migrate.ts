import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { Command } from "commander";
import { type Kysely, sql } from "kysely";
import { migrateToLatest, refuseSharedDatabase, schemaState } from "../../database/migrate.ts";
import { RelayError } from "../../kit/errors.ts";
import { makePartitions } from "../../receive/log/partitions.ts";
import type { CommandContext, StopRequest } from "../command-context.ts";

export function migrateCommand(context: CommandContext): Command {
  return new Command("migrate")
    .description("bring the database schema up to date; safe to repeat and to run concurrently")
    .option("--into-shared", "make the tables in a database that already holds others than the relay's")
    .action(async ({ intoShared }: { intoShared?: boolean }) => {
      const { DATABASE_URL } = context.settings(["DATABASE_URL"]);
      const { connect } = await import("../../database/connect.ts");
      const { grantRoles } = await import("../../database/roles.ts");
      const applicationName = `invoice-relay migrate ${randomUUID()}`;
      // A migration may rewrite a large table, so it has no time limit.
      const { db, close } = connect(DATABASE_URL, { max: 2, purpose: "migrate", applicationName });
      try {
        const { migrations, partitions, roles } = await cancelOnStop(
          db,
          applicationName,
          context.listenForStop(),
          async () => {
            if (intoShared !== true) await refuseSharedDatabase(db, "relay");
            return {
              migrations: await migrateToLatest(db, "relay"),
              partitions: await makePartitions(db),
              roles: await grantRoles(db),
            };
          },
        );
        const schema = await schemaState(db, "relay");
        context.show({ migrations, partitions, roles, schema: schema.state }, (done) => {
          const steps = [...done.migrations.map((name) => `ran migration ${name}`)];
          if (steps.length === 0) steps.push("no migration to run");
          steps.push(...done.partitions.map((name) => `made partition ${name}`));
          if (done.roles !== "granted")
            steps.push(
              "made no database roles: this user may not (CREATEROLE); docs/database-roles.md says what they " +
                "are for",
            );
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

/** A statement that has only just started can miss a cancellation, so it is repeated this often, in ms. */
const AGAIN_MS = 100;

/**
 * Runs work on the database and cancels its statements there when a stop is requested. If the process just
 * exited, they would keep running on the server and hold their locks.
 * @param applicationName must be unique to this process: sessions of this name are cancelled
 * @throws RelayError when it was stopped
 */
async function cancelOnStop<Schema, Result>(
  db: Kysely<Schema>,
  applicationName: string,
  stop: StopRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  let isDone = false;
  const cancel = async () => {
    while (!isDone) {
      await sql`
        select pg_cancel_backend(pid) from pg_stat_activity
        where application_name = ${applicationName} and pid <> pg_backend_pid() and state <> 'idle'`.execute(
        db,
      );
      await delay(AGAIN_MS);
    }
  };
  // If the database is away there is nothing to cancel, and the work fails on its own.
  const cancelling = stop.asked.then(cancel).catch(() => undefined);
  try {
    return await work();
  } catch (cause) {
    if (!stop.signal.aborted) throw cause;
    throw new RelayError("Stopped. The unfinished work was rolled back: run the command again.", {
      next: "retry",
      cause,
    });
  } finally {
    isDone = true;
    if (stop.signal.aborted) await cancelling;
    stop.release();
  }
}
