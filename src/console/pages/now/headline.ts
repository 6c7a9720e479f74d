import type { Status } from "../api/types.ts";

/** The page's one sentence. What a person is needed for stands below it, so that several are only counted. */
export function headlineOf({ sentence, needs }: Pick<Status, "sentence" | "needs">): string {
  if (needs.length > 1) return `A person is needed for ${needs.length} things.`;
  return sentence.replace(/ Give the provider the URL that invoice-relay callback-url prints\.$/, "");
}

/** Where something is done that the command line is named for; null where no page does it. */
export function pageFor(action: string): { to: string; name: string } | null {
  if (/invoice-relay (dead|quarantine|alarms)\b/.test(action)) return { to: "attention", name: "Attention" };
  if (/invoice-relay (certificate|certify|reconcile)\b/.test(action))
    return { to: "completeness", name: "Completeness" };
  if (/invoice-relay (resume|pause)\b/.test(action)) return { to: "settings", name: "Settings" };
  return null;
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
