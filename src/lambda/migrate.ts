import { relayMigrations } from "../../migrations/relay.ts";
import { connect } from "../database/connect.ts";
import { migrateToLatest, schemaState } from "../database/migrate.ts";
import { createLogger } from "../kit/log.ts";
import { readSettings } from "../kit/settings.ts";
import { makePartitions } from "../record/partitions.ts";
import { readEnvironment } from "./read-environment.ts";
import { requireVerifiedTls } from "./require-verified-tls.ts";

/**
 * The deploy step `migrate`, from inside the VPC: `osls invoke --function migrate`. Safe to repeat.
 * @returns what `invoice-relay migrate --json` prints
 */
export async function handler(): Promise<{ migrations: string[]; partitions: string[]; schema: string }> {
  const environment = await readEnvironment(process.env);
  const { DATABASE_URL, LOG_LEVEL } = readSettings(environment, ["DATABASE_URL"]);
  requireVerifiedTls(DATABASE_URL);
  const { db, close } = connect(DATABASE_URL, {
    max: 2,
    purpose: "migrate",
    plainStart: environment.DATABASE_PROXY === "true",
  });
  try {
    const migrations = await migrateToLatest(db, "relay", relayMigrations);
    const partitions = await makePartitions(db);
    const { state: schema } = await schemaState(db, "relay", relayMigrations);
    createLogger({ level: LOG_LEVEL }).info({ migrations, partitions, schema }, "migrated");
    return { migrations, partitions, schema };
  } finally {
    await close();
  }
}
