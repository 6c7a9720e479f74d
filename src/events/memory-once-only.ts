import type { OnceOnlyStore } from "./once-only.ts";

/**
 * Remembers in this process only, the newest `keep` events: for tests, and for handlers that do no harm when
 * they run again after a restart.
 */
export function memoryOnceOnly({ keep = 10_000 }: { keep?: number } = {}): OnceOnlyStore<undefined> {
  const handled = new Set<string>();
  const underWay = new Map<string, Promise<boolean>>();

  function remember(id: string): void {
    handled.add(id);
    const [oldest] = handled;
    if (handled.size > keep && oldest !== undefined) handled.delete(oldest);
  }

  return {
    async once(id, work) {
      // Whoever finds it under way waits; if that one failed, the first to wake takes it up.
      for (let other = underWay.get(id); other !== undefined; other = underWay.get(id)) await other;
      if (handled.has(id)) return "duplicate";
      const working = work(undefined);
      underWay.set(
        id,
        working.then(
          () => true,
          () => false,
        ),
      );
      try {
        await working;
        remember(id);
        return "handled";
      } finally {
        underWay.delete(id);
      }
    },
  };
}
