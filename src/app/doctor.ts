import { messageOf } from "../kit/errors.ts";
import { readSettings, SERVE_REQUIRES, type ServeSettings, SettingsError } from "../kit/settings.ts";
import { type Source, sourcesOf } from "../kit/sources.ts";
import type { StatusSettings } from "../operate/status-facts.ts";
import { callbackUrl, callbackUrlWarnings } from "./callback-url.ts";
import type { Check } from "./check.ts";
import { checkDatabase } from "./doctor-database.ts";
import { checkTopics } from "./doctor-topics.ts";
import { providerKindOf } from "./providers.ts";
import { statusSettings } from "./status-settings.ts";

type Environment = Record<string, string | undefined>;

/** Looks at everything that `serve` needs, and changes nothing. Sources are asked side by side. */
export async function* doctor(environment: Environment): AsyncGenerator<Check> {
  const { settings, problems } = settingsOf(environment);
  for (const problem of problems) yield { about: "settings", state: "fault", says: problem };
  if (settings !== null)
    yield { about: "settings", state: "ok", says: "everything that serve needs is there" };
  yield* checkDatabase(environment, forStatus(settings));
  if (settings === null) {
    const says = "callback URL, provider and topics were not checked: put the settings right first";
    yield { about: "the rest", state: "warning", says };
    return;
  }
  const sources = sourcesOf(settings);
  yield* checkCallbackUrls(settings, sources);
  yield* await sideBySide(sources.map((source) => providerKindOf(source).check(source, settings)));
  yield* checkTopics(sources, settings);
  yield* checkSharing(sources);
  yield* checkReconciliation(sources);
}

/** None waits for another that does not answer; in the order given. */
async function sideBySide(parts: readonly AsyncIterable<Check>[]): Promise<Check[]> {
  const wholes = parts.map(async (part) => {
    const checks: Check[] = [];
    for await (const check of part) checks.push(check);
    return checks;
  });
  return (await Promise.all(wholes)).flat();
}

/** That nothing is reconciled is left out here: `checkReconciliation` tells it, as a fault. */
function forStatus(settings: ServeSettings | null): StatusSettings {
  return { ...statusSettings(settings ?? readSettings({})), sources: null };
}

/** Without its collections a source is not reconciled: a payment whose callback never comes is missed. */
function* checkReconciliation(sources: readonly Source[]): Generator<Check> {
  for (const { name, reconciliation } of sources) {
    const about = `reconciliation of ${name}`;
    switch (reconciliation) {
      case "on":
        yield { about, state: "ok", says: "on: the provider's lists are read for what callbacks missed" };
        break;
      case "none":
        yield { about, state: "ok", says: "off, as COLLECTION_IDS=none says" };
        break;
      case "unset":
        yield {
          about,
          state: "fault",
          says:
            "off, so that a payment whose callback never comes is missed. Set COLLECTION_IDS to the " +
            "collections of this account, or to none if that is meant",
        };
    }
  }
}

function settingsOf(environment: Environment): {
  settings: ServeSettings | null;
  problems: readonly string[];
} {
  try {
    return { settings: readSettings(environment, SERVE_REQUIRES), problems: [] };
  } catch (error) {
    return {
      settings: null,
      problems: error instanceof SettingsError ? error.problems : [messageOf(error)],
    };
  }
}

function* checkCallbackUrls(settings: ServeSettings, sources: readonly Source[]): Generator<Check> {
  for (const source of sources) {
    const about = `callback URL of ${source.name}`;
    const urls = source.callbackTokens.map((token) => callbackUrl(settings.PUBLIC_URL, token.reveal()));
    const warnings = new Set(urls.flatMap(callbackUrlWarnings));
    for (const says of warnings) yield { about, state: "warning", says };
    const shown = callbackUrl(settings.PUBLIC_URL, "***");
    const count = urls.length === 1 ? "one token" : `${urls.length} tokens`;
    if (warnings.size === 0) yield { about, state: "ok", says: `${shown}, ${count}` };
  }
}

/** Two sources with one key, token or collection would each confirm and publish what belongs to the other. */
export function* checkSharing(sources: readonly Source[]): Generator<Check> {
  const sharing: [what: string, valuesOf: (source: Source) => readonly string[]][] = [
    ["COLLECTION_API_KEY", (source) => [`${source.collectionApiUrl} ${source.collectionApiKey.reveal()}`]],
    ["a callback token", (source) => source.callbackTokens.map((token) => token.reveal())],
    ["a collection", (source) => source.collectionIds],
  ];
  for (const [what, valuesOf] of sharing) {
    const owners = new Map<string, Set<string>>();
    for (const source of sources)
      for (const value of valuesOf(source))
        owners.set(value, (owners.get(value) ?? new Set()).add(source.name));
    for (const names of owners.values()) {
      if (names.size > 1)
        yield {
          about: "sources",
          state: "fault",
          says: `${[...names].join(" and ")} share ${what}; each needs its own`,
        };
    }
  }
}
