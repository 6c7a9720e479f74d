import type { Database } from "../database/connect.ts";
import { RelayError } from "../kit/errors.ts";
import { knownTopics } from "../upstreams/topic-row.ts";

/** The account of the local SNS. */
const LOCAL_TOPIC = /^arn:aws:sns:[^:]*:000000000000:/;

/**
 * Keeps a local relay away from the database of a real one: it would confirm and publish the real work that
 * it finds due there.
 * @throws RelayError when a relay with a topic at Amazon works on this database.
 */
export async function refuseForeignDatabase(db: Database): Promise<void> {
  const real = (await knownTopics(db)).find((arn) => !LOCAL_TOPIC.test(arn));
  if (real === undefined) return;
  throw new RelayError(
    `The database in DATABASE_URL belongs to a relay that publishes to ${real}. What runs here is for ` +
      "trying things out and would mix up its invoices: unset DATABASE_URL, or name another database.",
  );
}
