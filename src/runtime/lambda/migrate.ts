import { relayMigrations } from "../../../migrations/relay.ts";
import { makePartitions } from "../../pipeline/receive/index.ts";
import { readSettings } from "../../platform/config/index.ts";
import { connect, migrateToLatest, schemaState } from "../../platform/database/index.ts";
import { createLogger } from "../../platform/log/index.ts";
import { readEnvironment, requireVerifiedTls } from "./container.ts";

/** `osls invoke --function migrate`, safe to repeat. */
export async function handler() {
  const environment = await readEnvironment(process.env);
  const { DATABASE_URL, LOG_LEVEL } = readSettings(environment, ["DATABASE_URL"]);
  requireVerifiedTls(DATABASE_URL);
  const { db, close } = connect(DATABASE_URL, {
    max: 2,
    purpose: "migrate",
    unprepared: environment.DATABASE_PROXY === "true",
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
