import { type Asked, type Evidence, troubleWithin } from "./evidence.ts";
import { type Finding, groupBy } from "./finding.ts";

/**
 * G7: after a callback got its 2xx, a request for its invoice starts; and no two processes ask about the same
 * invoice at once, unless a fault let a lease expire.
 */
export function checkLeases(evidence: Evidence): Finding[] {
  const findings: Finding[] = [];
  const find = (what: string, about: string) => void findings.push({ guarantee: "G7", what, about });
  const asked = groupBy(evidence.asked, (ask) => `${ask.source} ${ask.invoiceId}`);

  for (const { sent, taken } of evidence.callbacks) {
    if (!taken) continue;
    for (const id of sent.invoiceIds) {
      const since = (asked.get(`${sent.source} ${id}`) ?? []).some(({ began }) => began >= sent.at);
      if (!since) find(`got a 2xx, but the provider was not asked about ${id} since`, sent.id);
    }
  }
  for (const [key, asks] of asked) {
    let last: Asked | undefined;
    for (const ask of asks) {
      if (last !== undefined && ask.began < last.ended && !isExplained(evidence, last, ask))
        find("asked about twice at the same time", key);
      if (last === undefined || ask.ended > last.ended) last = ask;
    }
  }
  return findings;
}

/** A lease expires only if there was a disturbance since shortly before it was taken. */
const isExplained = (evidence: Evidence, first: Asked, second: Asked) =>
  troubleWithin(evidence, first.began, second.began, evidence.begun.leaseMs) !== undefined;
