import { isInCollection, seenCollections } from "../../confirm/invoices/seen-collections.ts";
import type { Database } from "../../database/tables.ts";
import { notFoundError } from "../../kit/errors.ts";
import { isUuid } from "../../kit/ids.ts";
import { isRefusedData } from "../../kit/postgres-errors.ts";
import { shortText } from "../../kit/text.ts";
import { certifiedCollections } from "../../reconcile/read-certificates.ts";
import { listFirstServed } from "../../upstreams/source-row.ts";
import { BadInput, filtersOf, type OperationInput } from "./bad-input.ts";
import type { Operation, OperationContext } from "./operation.ts";

/**
 * Runs the operation.
 * @throws BadInput for what only Postgres detects, such as a NUL or the year 0; RelayError for a name that is
 *   not known.
 */
export async function runOperation(
  operation: Operation,
  context: OperationContext,
  input: OperationInput,
): Promise<unknown> {
  try {
    await requireKnownNames(context, input);
    return await operation.run(context, input);
  } catch (error) {
    if (isRefusedData(error)) throw new BadInput("The database does not accept one of the values.", error);
    throw error;
  }
}

type Known = Pick<OperationContext, "db" | "statusSettings">;

/**
 * A source or collection that nothing here has ever known is a slip of the pen, not a filter that nothing
 * matches: whatever operation holds one is refused.
 * @throws RelayError that names those there are
 */
export async function requireKnownNames(known: Known, input: OperationInput): Promise<void> {
  for (const { source, collection } of filtersOf(input)) {
    if (typeof source === "string") refuseUnknown("source", source, await sourcesOf(known));
    if (typeof collection !== "string") continue;
    if (isUuid(collection)) refuseUnknown("collection", collection, await collectionIdsOf(known));
    else await requireCollection(known.db, collection);
  }
}

async function sourcesOf({ db, statusSettings }: Known): Promise<string[]> {
  const served = await listFirstServed(db);
  return [...served.map(({ source }) => source), ...(statusSettings.sources ?? []).map(({ name }) => name)];
}

async function collectionIdsOf({ db, statusSettings }: Known): Promise<string[]> {
  const set = (statusSettings.sources ?? []).flatMap(({ collectionIds }) => collectionIds);
  return [...set, ...(await certifiedCollections(db))];
}

async function requireCollection(db: Database, name: string): Promise<void> {
  const seen = (await seenCollections(db)).map((one) => one.name);
  if (!seen.includes(name) && !(await isInCollection(db, name))) refuseUnknown("collection", name, seen);
}

const NAMED = 20;

/** Where nothing is known at all, nothing is refused. */
function refuseUnknown(what: string, name: string, given: readonly string[]): void {
  const known = [...new Set(given)];
  if (known.length === 0 || known.includes(name)) return;
  const more = known.length > NAMED ? `, and ${known.length - NAMED} more` : "";
  throw notFoundError(
    `There is no ${what} "${shortText(name)}". Known: ${known.slice(0, NAMED).join(", ")}${more}.`,
  );
}
