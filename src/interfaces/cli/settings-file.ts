import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { settingsSchema } from "../../platform/config/index.ts";
import { messageOf, RelayError } from "../../platform/errors/index.ts";

/**
 * Names that other programs read from the same file: the AWS SDK, Node, libpq, the Postgres image,
 * compose.yaml, OpenTelemetry.
 */
const OF_OTHERS =
  /^(AWS|NODE|OTEL|PG|POSTGRES)[A-Z0-9_]*$|^RELAY_(PORT|POSTGRES_PASSWORD)$|^(HTTPS?|NO)_PROXY$|^TZ$/i;

/**
 * Reads a file like .env.example.
 * @throws RelayError when it cannot be read, names an unknown setting, or has a line that sets nothing: what
 *   is misspelt would silently count as not set
 */
export async function readSettingsFile(file: string): Promise<Record<string, string | undefined>> {
  const text = await contents(file);
  const given = parseEnv(text);
  const known = Object.keys(settingsSchema.shape);
  const referred = given.SOURCES_FILE === undefined ? [] : await namesIn(given.SOURCES_FILE);
  const strange = Object.keys(given).filter(
    (name) => !known.includes(name) && !referred.includes(name) && !OF_OTHERS.test(name),
  );
  const wrong = strange.map((name) => ({ line: lineOf(name, text), problem: `${name} is not a setting.` }));
  // Not what it holds: that may be the rest of a secret.
  wrong.push(...looseLines(text).map((line) => ({ line, problem: "should be NAME=value." })));
  if (wrong.length === 0) return given;
  const problems = wrong
    .sort((one, other) => one.line - other.line)
    .map(({ line, problem }) => `  line ${line}: ${problem}`);
  throw new RelayError(
    `The settings file ${file} needs attention:\n${problems.join("\n")}\ndocs/settings.md lists all ` +
      "settings.",
    { code: "settings" },
  );
}

async function contents(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new RelayError(`The settings file ${file} cannot be read: ${messageOf(cause)}`, {
      code: "settings",
      cause,
    });
  }
}

/**
 * The variables that a SOURCES_FILE takes its secrets from. Other errors in it are reported when it is
 * used.
 */
async function namesIn(sourcesFile: string): Promise<string[]> {
  const text = await readFile(sourcesFile, "utf8").catch(() => "");
  return [...text.matchAll(/"env:(\w+)"/g)].map(([, name = ""]) => name);
}

const lineOf = (name: string, text: string): number =>
  text.split("\n").findIndex((line) =>
    line
      .trim()
      .replace(/^export\s+/, "")
      .startsWith(name),
  ) + 1;

/** Lines that parseEnv skips without a word; a quoted value may have several of its own. */
const looseLines = (text: string): number[] =>
  text
    .replace(/^\s*#.*$/gm, "")
    .replace(/=[ \t]*("[^"]*"|'[^']*'|`[^`]*`)/g, (value) => `=${value.replace(/[^\n]/g, "")}`)
    .split("\n")
    .flatMap((line, index) => (/^\s*(#|$)|=/.test(line) ? [] : [index + 1]));
