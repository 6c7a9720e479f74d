import type { Status } from "../api/types.ts";
import { capital } from "../kit/capital.ts";

/** The page's one sentence. What a person is needed for stands below it, so that several are only counted. */
export function headlineOf({ sentence, needs }: Pick<Status, "sentence" | "needs">): string {
  if (needs.length > 1) return `A person is needed for ${needs.length} things.`;
  return sentence.replace(/ Give the provider the URL that invoice-relay callback-url prints\.$/, "");
}

/** What is wrong; the names of alarms stand with each of them. */
export const wordsOf = (what: string): string =>
  `${capital(what.replace(/(alarms? (?:is|are) open) \(.*\)$/, "$1"))}.`;

/** What to do, without the command line's way to the list that a page shows. */
export const adviceOf = (action: string): string =>
  action
    .replace(/^(Look at them|Read it|Read why) with: invoice-relay (dead|quarantine|certificate) .*$/, "")
    .replace(/; all of them: invoice-relay alarms$/, ".");

const LISTS: Record<string, string> = { dead: "dead letters", quarantine: "quarantine", alarms: "alarms" };

/** Where something is done that the command line is named for; null where no page does it. */
export function pageFor(action: string): { to: string; name: string } | null {
  const list = /invoice-relay (dead|quarantine|alarms)\b/.exec(action)?.[1];
  if (list !== undefined) return { to: `attention/${list}`, name: LISTS[list] ?? list };
  if (/invoice-relay (certificate|certify|reconcile)\b/.test(action))
    return { to: "completeness", name: "Completeness" };
  if (/invoice-relay (resume|pause)\b/.test(action)) return { to: "settings", name: "Settings" };
  return null;
}
