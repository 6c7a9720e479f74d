import type { Evidence } from "./evidence.ts";
import type { Finding } from "./finding.ts";

/** How long requests that were claimed or sent before the 429 may still arrive, in ms. */
const ON_THEIR_WAY_MS = 1_000;

/**
 * G8: after a 429 a source gets no requests for as long as Retry-After says. Checked only where nothing else
 * was wrong, since the processes share this through Postgres.
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
        what: `asked within the ${retryAfterS} s of the provider's Retry-After`,
        about: `${source} ${early.invoiceId}`,
      });
  }
  return findings;
}
