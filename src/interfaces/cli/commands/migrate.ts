import { Command } from "commander";
import { makePartitions } from "../../../pipeline/receive/index.ts";
import { migrateToLatest, refuseSharedDatabase, schemaState } from "../../../platform/database/index.ts";
import type { CommandContext } from "../command-context.ts";

export function migrateCommand(context: CommandContext): Command {
  return new Command("migrate")
    .description("bring the database schema up to date; safe to repeat and to run concurrently")
    .option("--into-shared", "make the tables in a database that already holds others than the relay's")
    .action(async ({ intoShared }: { intoShared?: boolean }) => {
      const { DATABASE_URL } = context.settings(["DATABASE_URL"]);
      const { connect } = await import("../../../platform/database/index.ts");
      const { grantRoles } = await import("../../../platform/database/index.ts");
      const applicationName = "invoice-relay migrate";
      const { db, close } = connect(DATABASE_URL, { max: 2, purpose: "migrate", applicationName });
      try {
        if (intoShared !== true) await refuseSharedDatabase(db, "relay");
        const migrations = await migrateToLatest(db, "relay");
        const partitions = await makePartitions(db);
        const roles = await grantRoles(db);
        const schema = await schemaState(db, "relay");
        context.show({ migrations, partitions, roles, schema: schema.state }, (done) => {
          const steps = [...done.migrations.map((name) => `ran migration ${name}`)];
          if (steps.length === 0) steps.push("no migration to run");
          steps.push(...done.partitions.map((name) => `made partition ${name}`));
          if (done.roles !== "granted")
            steps.push(
              "made no database roles: this user may not (CREATEROLE); docs/operations.md says what they " +
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
