import { Command } from "commander";
import type { Door } from "../door.ts";

/** `invoice-relay migrate`: brings the schema up to date, and the log's partitions three months ahead. */
export function migrateCommand(door: Door): Command {
  return new Command("migrate")
    .description("bring the database's schema up to date; safe to repeat and to run from several places")
    .action(async () => {
      const { DATABASE_URL } = door.settings(["DATABASE_URL"]);
      const { connect } = await import("../../database/connect.ts");
      const { migrateToLatest, schemaState } = await import("../../database/migrate.ts");
      const { makePartitions } = await import("../../record/partitions.ts");
      // A migration may rewrite a large table: it gets all the time it needs.
      const { db, close } = connect(DATABASE_URL, { max: 2, purpose: "migrate" });
      try {
        const migrations = await migrateToLatest(db, "relay");
        const partitions = await makePartitions(db);
        const schema = await schemaState(db, "relay");
        door.show({ migrations, partitions, schema: schema.state }, (done) => {
          const steps = [...done.migrations.map((name) => `ran migration ${name}`)];
          if (steps.length === 0) steps.push("no migration to run");
          steps.push(...done.partitions.map((name) => `made partition ${name}`));
          steps.push(
            done.schema === "ahead"
              ? "The schema is newer than this program, which works with it unless a migration is breaking."
              : "The schema is current.",
          );
          return steps.join("\n");
        });
      } finally {
        await close();
      }
    });
}
