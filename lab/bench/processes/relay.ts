import { Session } from "node:inspector/promises";
import { basename } from "node:path";
import { readSettings, SERVE_REQUIRES } from "../../../src/platform/config/settings.ts";
import { createLogger } from "../../../src/platform/log/log.ts";
import { type RunningRelay, serve } from "../../../src/runtime/serve.ts";
import { answerParent } from "../harness/child.ts";
import { type Addresses, relayEnvironment } from "../harness/payment.ts";

let relay: RunningRelay | undefined;
const session = new Session();

/** The package, or the path below `src`, and the file. */
function shortened(url: string): string {
  const [, packageName] = /node_modules\/((?:@[^/]+\/)?[^/]+)(?!.*node_modules)/.exec(url) ?? [];
  return packageName === undefined ? url.replace(/^.*\/src\//, "src/") : `${packageName}/${basename(url)}`;
}

const calls = {
  /** The real relay. */
  start: async ({ http, workers, ...addresses }: Addresses & { http: boolean; workers: boolean }) => {
    relay = await serve({
      settings: readSettings(relayEnvironment(addresses), SERVE_REQUIRES),
      log: createLogger({ level: "warn" }),
      host: "127.0.0.1",
      http,
      workers,
    });
    return { port: relay.port ?? 0 };
  },
  /** Bytes of the heap in use after a full collection; needs `--expose-gc`. */
  heap: () => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  },
  startProfile: async () => {
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: 500 });
    await session.post("Profiler.start");
  },
  /** The functions that used most CPU time themselves, most first, by their share of the busy samples. */
  stopProfile: async () => {
    const { profile } = await session.post("Profiler.stop");
    session.disconnect();
    const own = new Map<string, number>();
    let busy = 0;
    for (const { callFrame, hitCount = 0 } of profile.nodes) {
      if (callFrame.functionName === "(idle)") continue;
      busy += hitCount;
      const line = `${shortened(callFrame.url)}:${callFrame.lineNumber + 1}`;
      const place = `${callFrame.functionName || "(anonymous)"} ${line}`;
      own.set(place, (own.get(place) ?? 0) + hitCount);
    }
    const most = [...own].sort(([, a], [, b]) => b - a).slice(0, 40);
    return most.map(([place, hits]) => {
      const [name = "", at = ""] = place.split(" ");
      return { share: hits / busy, name, at };
    });
  },
  stop: () => relay?.stop(),
};

export type RelayCalls = typeof calls;
answerParent(calls);
