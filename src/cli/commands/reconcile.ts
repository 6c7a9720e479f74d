import { Command } from "commander";
import { RelayError } from "../../kit/errors.ts";
import type { BackFill } from "../../reconcile/back-fill.ts";
import { dayRange } from "../day-range.ts";
import type { Door } from "../door.ts";
import { ListProgress } from "../list-progress.ts";
import { table } from "../table.ts";
import { withReconcileSources } from "../with-reconcile-sources.ts";
import { sourcesWith } from "./certify.ts";

interface Options {
  from: string;
  to: string;
  collection?: string;
  publish?: true;
}

/** `invoice-relay reconcile`: finds what is missing in a period; the running relay confirms it. */
export function reconcileCommand(door: Door): Command {
  return new Command("reconcile")
    .description("find paid invoices without an event in a period, from the provider's own list")
    .requiredOption("--from <day>", "the first day of payment, YYYY-MM-DD, UTC")
    .requiredOption("--to <day>", "the last day of payment, YYYY-MM-DD, UTC, included")
    .option("--collection <id>", "one of COLLECTION_IDS; all of them when left out")
    .option("--publish", "publish payments from before the relay's first serve too, not only record them")
    .action(async ({ from, to, collection, publish }: Options) => {
      const { backFill } = await import("../../reconcile/back-fill.ts");
      const window = dayRange(from, to);
      const done = await withReconcileSources(door, (sources, { LEASE_DURATION }, signal) =>
        door.withDatabase(async (db) => {
          const results: BackFill[] = [];
          const deps = { db, leaseMs: LEASE_DURATION, onQuestions: () => undefined };
          for (const source of sourcesWith(sources, collection)) {
            for (const collectionId of collectionsOf(source, collection)) {
              const bar = new ListProgress(door.stderr, source, window);
              const onProgress = ({ read }: { read: number }) => bar.reached(read);
              const request = { source, collectionId, window, publish: publish === true, signal, onProgress };
              results.push(await backFill(deps, request));
              bar.end();
            }
          }
          return results;
        }),
      );
      door.show(done, (shown) => reconcileText(shown, publish === true));
    });
}

function collectionsOf(
  source: { name: string; collectionIds: readonly string[] },
  collection: string | undefined,
): readonly string[] {
  if (collection !== undefined) return [collection.toLowerCase()];
  if (source.collectionIds.length > 0) return source.collectionIds;
  throw new RelayError(
    `Nobody can say which lists to read for source "${source.name}": the provider lists invoices by collection only. Set COLLECTION_IDS to the ids of its collections.`,
    { next: "refuse", code: "settings" },
  );
}

function reconcileText(done: readonly BackFill[], publish: boolean): string {
  const header = ["source", "collection", "paid", "without event", "asked about", "named by a callback"];
  const rows = done.map(({ source, collectionId, listed, missing, opened, called }) => [
    source,
    collectionId,
    listed,
    missing,
    opened,
    called,
  ]);
  const opened = done.reduce((sum, { opened }) => sum + opened, 0);
  const what =
    opened === 0
      ? "Nothing is missing."
      : `${opened} ${opened === 1 ? "question was" : "questions were"} opened. The running relay asks the provider about each and publishes what is confirmed${publish ? "" : "; payments from before its first serve are recorded only (--publish publishes them)"}.`;
  const resumed = done.some(({ resumed }) => resumed)
    ? "\nIt went on from where an earlier run broke off; counts include that run."
    : "";
  return `${table(header, rows)}\n\n${what}${resumed}`;
}
