import { RelayError } from "../kit/errors.ts";
import { SERVE_REQUIRES, type Settings } from "../kit/settings.ts";
import type { ReconcileSource } from "../reconcile/reconcile-source.ts";
import type { Door } from "./door.ts";

/** The settings' sources with a client each, for as long as the work takes; SIGTERM and SIGINT abort the signal. */
export async function withReconcileSources<Result>(
  door: Door,
  work: (sources: ReconcileSource[], settings: Settings, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const { CollectionClient } = await import("../collection-api/index.ts");
  const { sourcesOf } = await import("../kit/sources.ts");
  const { reconcileSource } = await import("../app/reconcile-source.ts");
  const settings = door.settings(SERVE_REQUIRES);
  const clients: InstanceType<typeof CollectionClient>[] = [];
  const stop = door.listenForStop();
  try {
    const sources = sourcesOf(settings).map((source) => {
      const client = new CollectionClient({
        baseUrl: source.collectionApiUrl,
        apiKey: source.collectionApiKey,
        timeoutMs: settings.CONFIRM_TIMEOUT,
        connections: 2,
      });
      clients.push(client);
      return reconcileSource(source, client, settings);
    });
    return await work(sources, settings, stop.signal);
  } catch (error) {
    if (stop.signal.aborted && !(error instanceof RelayError))
      throw new RelayError("Stopped before it was done.", { next: "retry", cause: error });
    throw error;
  } finally {
    await stop.finish(Promise.resolve(), 0);
    await Promise.all(clients.map((client) => client.close()));
  }
}
