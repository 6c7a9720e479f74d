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

/**
 * Sends the root of each tree to LEDGER_TOPIC_ARN, once an hour, whichever process is first. One whose end nobody
 * saw is sent again, which does no harm: it is as true as the first.
 * @throws RelayError when the topic does not take one; another process, or this one, tries after a minute.
 */
export async function publishRoots(
  topicArn: string,
  { db, settings, signer }: { db: Database; settings: ServeSettings; signer: Signer | null },
): Promise<void> {
  const claimed = await claimDueRoots(
    db,
    (await readRoots(db)).map(({ source }) => source),
  );
  if (claimed.size === 0) return;
  const roots = (await issueRoots(db, signer)).filter(({ source }) => claimed.has(source));
  const destination = destinationOf(settings, 1);
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
      if (said?.kind !== "accepted")
        throw new RelayError(`LEDGER_TOPIC_ARN took no root of ${source}: ${said?.error ?? "no answer"}`);
      await notePublishedRoot(db, root);
      step("root published");
    }
  } finally {
    destination.close();
  }
}
