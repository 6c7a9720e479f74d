import type { Unread } from "../reconcile/on-request.ts";
import type { CommandContext } from "./command-context.ts";

/** After the results of others: the sources that failed. With `--json` they stand among the results. */
export function tellUnread(context: CommandContext, results: readonly (object | Unread)[]): void {
  for (const one of results) {
    if (!("error" in one)) continue;
    const { source, error } = one;
    if (!context.json) context.complain(`Source "${source}" failed: ${error.message}`);
    if (error.code.endsWith("_away")) context.away();
    else context.fault();
  }
}
