import { Session } from "node:inspector/promises";
import { basename } from "node:path";

/** Where the time went: a function, and its share of the samples that were not idle. */
export interface HotSpot {
  share: number;
  name: string;
  at: string;
}

let session: Session | undefined;

/** Calls of a child: profile the CPU of this very process for a while. */
export const profiler = {
  startProfile: async () => {
    session = new Session();
    session.connect();
    await session.post("Profiler.enable");
    await session.post("Profiler.setSamplingInterval", { interval: 500 });
    await session.post("Profiler.start");
  },
  /** The functions that used most time themselves, most first. */
  stopProfile: async (): Promise<HotSpot[]> => {
    if (session === undefined) return [];
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
    return [...own]
      .sort(([, a], [, b]) => b - a)
      .slice(0, 40)
      .map(([place, hits]) => {
        const [name = "", at = ""] = place.split(" ");
        return { share: hits / busy, name, at };
      });
  },
};

/** The package, or the path below `src`, and the file. */
function shortened(url: string): string {
  const [, packageName] = /node_modules\/((?:@[^/]+\/)?[^/]+)(?!.*node_modules)/.exec(url) ?? [];
  if (packageName !== undefined) return `${packageName}/${basename(url)}`;
  return url.replace(/^.*\/src\//, "src/").replace(/^.*\/bench\//, "bench/");
}
