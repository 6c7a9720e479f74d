import type { Database } from "../database/tables.ts";
import { RelayError } from "../kit/errors.ts";
import { newId } from "../kit/ids.ts";
import type { ServeSettings } from "../kit/settings.ts";
import { step } from "../kit/step.ts";
import { readRoots } from "../ledger/proofs.ts";
import { issueRoots } from "../ledger/signed-roots.ts";
import { claimDueRoots, notePublishedRoot } from "../signing/published-roots.ts";
import type { Signer } from "../signing/signed.ts";
import { destinationOf } from "./publishing.ts";

/** Which trees' roots are due, for this process alone: of those that were not published in this hour. */
export const takeDueRoots = async (db: Database): Promise<ReadonlySet<string>> =>
  await claimDueRoots(
    db,
    (await readRoots(db)).map(({ source }) => source),
  );

/**
 * Sends these trees' roots to LEDGER_TOPIC_ARN. One whose end nobody saw is sent again, which does no harm: it is as
 * true as the first.
 * @throws RelayError when the topic does not take one; another process, or this one, tries after a minute. `next` is
 * `pause` where trying again does not help.
 */
export async function publishRoots(
  topicArn: string,
  due: ReadonlySet<string>,
  { db, settings, signer }: { db: Database; settings: ServeSettings; signer: Signer | null },
): Promise<void> {
  const roots = (await issueRoots(db, signer)).filter(({ source }) => due.has(source));
  const destination = destinationOf(settings, 1);
  let refused: RelayError | null = null;
  try {
    for (const root of roots) {
      step("root to be published");
      const { source } = root;
      const outcome = await destination.send(topicArn, [
        {
          id: newId(),
          source,
          // The group on a FIFO topic: the roots of a tree stay in order.
          invoiceId: source,
          type: "ledger.root",
          ...{ invoiceType: "", collectionName: null, payload: JSON.stringify(root) },
        },
      ]);
      const said = outcome.kind === "answered" ? outcome.entries[0] : outcome;
      if (said?.kind === "accepted") {
        await notePublishedRoot(db, root);
        step("root published");
        continue;
      }
      refused = new RelayError(`LEDGER_TOPIC_ARN took no root of ${source}: ${said?.error ?? "no answer"}`, {
        next: said === undefined || said.kind === "failed" ? "retry" : "pause",
      });
      // What is wrong with this root alone keeps no other from the topic.
      if (outcome.kind !== "answered") break;
    }
  } finally {
    destination.close();
  }
  if (refused !== null) throw refused;
}
