import type { ServeSettings } from "../kit/settings.ts";
import type { Source } from "../kit/sources.ts";
import { collectionApiProvider } from "../provider/collection-api-provider.ts";
import type { Provider } from "../provider/provider.ts";
import { checkProvider } from "./doctor-provider.ts";
import type { Check } from "./doctor-settings.ts";

/** A kind of provider account, and how `doctor` looks at one. A second kind would be chosen by a setting. */
interface ProviderKind {
  open(source: Source, settings: ServeSettings): Provider;
  check(source: Source, settings: ServeSettings): AsyncGenerator<Check>;
}

const COLLECTION_API: ProviderKind = {
  open: (source, settings) =>
    collectionApiProvider({
      baseUrl: source.collectionApiUrl,
      apiKey: source.collectionApiKey,
      timeoutMs: settings.CONFIRM_TIMEOUT,
      connections: settings.CONFIRM_CONCURRENCY,
    }),
  check: checkProvider,
};

export const providerKindOf = (_source: Source): ProviderKind => COLLECTION_API;

/** The provider account of a source. */
export const providerOf = (source: Source, settings: ServeSettings): Provider =>
  providerKindOf(source).open(source, settings);
