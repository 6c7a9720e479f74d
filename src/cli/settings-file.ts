import { readFile } from "node:fs/promises";
import { parseEnv } from "node:util";
import { messageOf, RelayError } from "../kit/errors.ts";
import { settingsSchema } from "../kit/settings.ts";

/**
 * Names that other programs read from the same file: the AWS SDK, Node, libpq, the Postgres image,
 * compose.yaml, OpenTelemetry.
 */
const OF_OTHERS =
  /^(AWS|NODE|OTEL|PG|POSTGRES)[A-Z0-9_]*$|^RELAY_(PORT|POSTGRES_PASSWORD)$|^(HTTPS?|NO)_PROXY$|^TZ$/i;

/**
 * Reads a file like .env.example.
 * @throws RelayError when it cannot be read or names an unknown setting: a misspelt setting would silently
 *   count as not set
 */
export async function readSettingsFile(file: string): Promise<Record<string, string | undefined>> {
  const text = await contents(file);
  const given = parseEnv(text);
  const known = Object.keys(settingsSchema.shape);
  const referred = given.SOURCES_FILE === undefined ? [] : await namesIn(given.SOURCES_FILE);
  const strange = Object.keys(given).filter(
    (name) => !known.includes(name) && !referred.includes(name) && !OF_OTHERS.test(name),
  );
  if (strange.length === 0) return given;
  const problems = strange
    .map((name) => ({ name, line: lineOf(name, text), likely: likelyName(name, known) }))
    .sort((one, other) => one.line - other.line)
    .map(
      ({ name, line, likely }) =>
        `  line ${line}: ${name} is not a setting.${likely === null ? "" : ` Did you mean ${likely}?`}`,
    );
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

/** The known name that was most likely meant; null when none is close. */
function likelyName(given: string, known: readonly string[]): string | null {
  const wanted = given.toUpperCase();
  const near = known
    .map((name) => ({ name, distance: distanceOf(wanted, name) }))
    .filter(({ name, distance }) => distance <= Math.max(2, name.length / 4) || isPartOf(wanted, name))
    .sort((one, other) => one.distance - other.distance);
  return near[0]?.name ?? null;
}

/** Whether the name contains all of its words, as COLLECTION_API_KEY contains those of API_KEY. */
function isPartOf(given: string, name: string): boolean {
  const words = name.split("_");
  return given.split("_").every((word) => word.length > 2 && words.includes(word));
}

/** How many letters to change, add, remove or swap with a neighbour. */
function distanceOf(one: string, other: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const line = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      line[column] = Math.min(
        (last[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, line];
  }
  return last[other.length] ?? 0;
}
