import { Command } from "commander";
import { RelayError } from "../../kit/errors.ts";
import type { Certificate } from "../../reconcile/certificate.ts";
import { certificateText } from "../certificate-text.ts";
import { dayRange } from "../day-range.ts";
import type { Door } from "../door.ts";
import { ListProgress } from "../list-progress.ts";
import { withReconcileSources } from "../with-reconcile-sources.ts";

interface Options {
  from: string;
  to: string;
  collection?: string;
}

/** `invoice-relay certify`: is every paid invoice accounted for? Exit code 1 on a gap. */
export function certifyCommand(door: Door): Command {
  return new Command("certify")
    .description("prove a period: paid at the provider = stored = published, or each difference by name")
    .requiredOption("--from <day>", "the first day of payment, YYYY-MM-DD, UTC")
    .requiredOption("--to <day>", "the last day of payment, YYYY-MM-DD, UTC, included")
    .option("--collection <id>", "one of COLLECTION_IDS; all of them when left out")
    .action(async ({ from, to, collection }: Options) => {
      const { certify } = await import("../../reconcile/certify.ts");
      const window = dayRange(from, to);
      const certificates = await withReconcileSources(door, (sources, _settings, signal) =>
        door.withDatabase(async (db) => {
          const made: Certificate[] = [];
          for (const source of sourcesWith(sources, collection)) {
            const bar = new ListProgress(
              door.stderr,
              source,
              window,
              collection === undefined ? source.collectionIds.length : 1,
            );
            const onProgress = (read: number) => bar.reached(read);
            const collectionId = collection ?? null;
            made.push(await certify(db, { source, window, collectionId, signal, onProgress }));
            bar.end();
          }
          return made;
        }),
      );
      door.show(certificates, (shown) => shown.map(certificateText).join("\n\n"));
      if (certificates.some((certificate) => certificate.gaps > 0)) door.fault();
    });
}

/** With a collection given, the source that has it; all of them otherwise. */
export function sourcesWith<Source extends { collectionIds: readonly string[] }>(
  sources: readonly Source[],
  collection: string | undefined,
): readonly Source[] {
  if (collection === undefined) return sources;
  const having = sources.filter((source) => source.collectionIds.includes(collection.toLowerCase()));
  if (having.length > 0) return having;
  const message = `Collection ${collection} is none of COLLECTION_IDS. Add it there, so that its list may be read.`;
  throw new RelayError(message, { next: "refuse", code: "usage" });
}
