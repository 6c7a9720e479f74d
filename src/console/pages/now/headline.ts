import type { Status } from "../api/types.ts";

/** The page's one sentence. What a person is needed for stands below it, so that several are only counted. */
export function headlineOf({ sentence, needs }: Pick<Status, "sentence" | "needs">): string {
  if (needs.length > 1) return `A person is needed for ${needs.length} things.`;
  return sentence.replace(/ Give the provider the URL that invoice-relay callback-url prints\.$/, "");
}

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

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
