import type { Evidence } from "./evidence.ts";
import type { Finding } from "./finding.ts";

/** What was on its way or claimed when the 429 came may still arrive, in ms. */
const ON_THEIR_WAY_MS = 1_000;

/**
 * G8: after a 429 a source is left alone for as long as Retry-After says; nothing else may have been wrong,
 * since the processes tell each other over Postgres.
 */
export function checkPace({ asked, troubles }: Evidence): Finding[] {
  const findings: Finding[] = [];
  for (const { source, ended, retryAfterS } of asked) {
    if (retryAfterS === null) continue;
    const until = ended + retryAfterS * 1_000;
    const excused = troubles.some(
      ({ from, to, what }) => from <= until && to >= ended - ON_THEIR_WAY_MS && !what.startsWith("provider"),
    );
    const early = asked.find(
      (ask) => ask.source === source && ask.began > ended + ON_THEIR_WAY_MS && ask.began < until,
    );
    if (!excused && early !== undefined)
      findings.push({
        guarantee: "G8",
        what: `asked within the ${retryAfterS} s that the provider wanted to be left alone`,
        about: `${source} ${early.invoiceId}`,
      });
  }
  return findings;
}
