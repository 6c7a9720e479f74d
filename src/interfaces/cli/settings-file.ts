import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { settingsSchema } from "../../platform/config/index.ts";
import { messageOf, RelayError } from "../../platform/errors/index.ts";

/** Names that other programs read from the same file: the AWS SDK, Node, libpq, compose.yaml, OpenTelemetry. */
const OF_OTHERS =
  /^(AWS|NODE|OTEL|PG|POSTGRES)[A-Z0-9_]*$|^RELAY_(PORT|POSTGRES_PASSWORD)$|^(HTTPS?|NO)_PROXY$|^TZ$/i;

/**
 * Reads a file like .env.example.
 * @throws RelayError when it cannot be read, or names an unknown setting: a misspelt one would count as not set
 */
export async function readSettingsFile(file: string): Promise<Record<string, string | undefined>> {
  const given = parseEnv(await contents(file));
  const known = Object.keys(settingsSchema.shape);
  // A SOURCES_FILE names variables of its own.
  const referred = given.SOURCES_FILE === undefined ? "" : await contents(given.SOURCES_FILE);
  const strange = Object.keys(given).filter(
    (name) => !known.includes(name) && !OF_OTHERS.test(name) && !referred.includes(`"env:${name}"`),
  );
  if (strange.length === 0) return given;
  const lines = strange.map((name) => `  ${name} is not a setting.`);
  throw new RelayError(`${file} cannot be used:\n${lines.join("\n")}`, { code: "settings" });
}

async function contents(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new RelayError(`The file ${file} cannot be read: ${messageOf(cause)}`, { code: "settings", cause });
  }
}
