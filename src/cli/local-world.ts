import { enterLocalWorld } from "../app/dev-settings.ts";
import type { Secret } from "../kit/secret.ts";
import { readSettings } from "../kit/settings.ts";
import type { CommandContext } from "./command-context.ts";

/** What `dev` and `demo` run with: only what was named on purpose. */
export interface LocalWorldGiven {
  environment: Record<string, string | undefined>;
  /** Of `--database`; undefined for an embedded one. */
  database: Secret | undefined;
  /** The names of what this shell sets and nothing here reads. */
  left: readonly string[];
}

/** The option of `dev` and `demo` that names a database. */
export const DATABASE_OPTION = [
  "--database [url]",
  "use this PostgreSQL database instead of one of its own; without a URL, that of DATABASE_URL",
] as const;

/**
 * Leaves behind what the shell holds for other work.
 * @param database what `--database` was given. @param taken the variables that the command takes.
 * @throws SettingsError when the database is named wrongly.
 */
export function localWorldFor(
  context: CommandContext,
  database: string | true | undefined,
  taken: readonly string[],
): LocalWorldGiven {
  const { DATABASE_URL } = context.environment;
  const environment: Record<string, string | undefined> = { ...context.settingsInFile };
  for (const name of taken) environment[name] = context.environment[name];
  // LOG_LEVEL changes nothing but how much is logged.
  const left = enterLocalWorld(context.environment, [...taken, "LOG_LEVEL"]);
  if (database === undefined) {
    if (DATABASE_URL) context.remark("DATABASE_URL of this shell is left alone; --database would use it.");
    return { environment, database: undefined, left };
  }
  const url = database === true ? DATABASE_URL : database;
  return { environment, database: readSettings({ DATABASE_URL: url }, ["DATABASE_URL"]).DATABASE_URL, left };
}
