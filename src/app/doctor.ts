import { messageOf } from "../kit/errors.ts";
import { readSettings, SERVE_REQUIRES, type ServeSettings, SettingsError } from "../kit/settings.ts";
import { sourcesOf } from "../kit/sources.ts";
import type { StatusSettings } from "../operate/status-facts.ts";
import { checkDatabase } from "./doctor-database.ts";
import { checkProvider } from "./doctor-provider.ts";
import { type Check, checkCallbackUrls, checkReconciliation, checkSharing } from "./doctor-settings.ts";
import { checkTopics } from "./doctor-topics.ts";
import { statusSettings } from "./settings-shown.ts";

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
  // None waits for another that does not answer.
  const asked = sources.map((source) => Array.fromAsync(checkProvider(source, settings)));
  yield* (await Promise.all(asked)).flat();
  yield* checkTopics(sources, settings);
  yield* checkSharing(sources);
  yield* checkReconciliation(sources);
}

/** That nothing is reconciled is left out here: `checkReconciliation` tells it, as a fault. */
function forStatus(settings: ServeSettings | null): StatusSettings {
  return { ...statusSettings(settings ?? readSettings({})), sources: null };
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
