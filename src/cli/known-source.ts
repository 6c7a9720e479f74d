import { RelayError } from "../kit/errors.ts";
import { shortText } from "../kit/text.ts";
import type { OperationContext } from "../operate/operations/operation.ts";
import { listUpstreams } from "../upstreams/change.ts";
import { SOURCE } from "../upstreams/upstream-kind.ts";
import type { CommandInput } from "./operation-command.ts";

/**
 * A source that neither the settings nor any serve has ever known is a slip of the pen, not a filter that
 * nothing matches.
 * @throws RelayError that names those there are
 */
export async function requireKnownSource(
  { db, statusSettings }: Pick<OperationContext, "db" | "statusSettings">,
  { source, filters, alarms }: CommandInput,
): Promise<void> {
  const [alarm] = (alarms ?? []) as CommandInput[];
  const named = source ?? (filters as CommandInput | undefined)?.source ?? alarm?.source;
  if (named === undefined) return;
  const served = await listUpstreams(db, SOURCE);
  const known = new Set([...served, ...(statusSettings.sources ?? [])].map(({ name }) => name));
  if (known.size === 0 || known.has(String(named))) return;
  throw new RelayError(
    `There is no source "${shortText(String(named))}". Known: ${[...known].slice(0, 20).join(", ")}.`,
    { code: "not_found" },
  );
}
