import { storableText } from "../../kit/text.ts";
import type { ReconcileSource } from "../reconcile-source.ts";
import type { ListPace } from "./list-pace.ts";
import { ListUnreadable } from "./list-reader.ts";

export const readCollectionName = (
  source: ReconcileSource,
  pace: ListPace,
  collectionId: string,
  signal: AbortSignal,
): Promise<string | null> =>
  pace.call(async () => {
    const answer = await source.provider.getCollection(collectionId, { signal });
    if (answer.kind !== "found") throw new ListUnreadable(`Get Collection by ID of ${collectionId}`, answer);
    const { collectionName } = answer.collection;
    return collectionName === null ? null : storableText(collectionName);
  });
