import type { ServeSettings } from "../kit/settings.ts";
import type { Source } from "../kit/sources.ts";
import { callbackUrl, callbackUrlWarnings } from "./callback-url.ts";

/**
 * One thing that was looked at. With a warning it works, but deserves a look; a fault keeps `serve` from some
 * or all of its work.
 */
export interface Check {
  about: string;
  state: "ok" | "warning" | "fault";
  /** Plain words; no secret is ever part of them. */
  says: string;
  /** Of a fault: the other side does not answer, and on this side all may be well. */
  away?: boolean;
}

/** Without its collections a source is not reconciled: a payment whose callback never comes is missed. */
export function* checkReconciliation(sources: readonly Source[]): Generator<Check> {
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

export function* checkCallbackUrls(settings: ServeSettings, sources: readonly Source[]): Generator<Check> {
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
