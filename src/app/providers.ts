import type { ServeSettings } from "../kit/settings.ts";
import type { Source } from "../kit/sources.ts";
import { collectionApiProvider } from "../provider/collection-api-provider.ts";
import type { Provider } from "../provider/provider.ts";

/** The provider account of a source. */
export const providerOf = (source: Source, settings: ServeSettings): Provider =>
  collectionApiProvider({
    baseUrl: source.collectionApiUrl,
    apiKey: source.collectionApiKey,
    timeoutMs: settings.CONFIRM_TIMEOUT,
    connections: settings.CONFIRM_CONCURRENCY,
  });
