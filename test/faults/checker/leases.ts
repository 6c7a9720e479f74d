import { type Asked, type Evidence, troubleWithin } from "./evidence.ts";
import { type Finding, groupBy } from "./finding.ts";

/**
 * G7: what was taken is asked for by a question that began no earlier; and nobody asks for what another one
 * holds, unless something happened that let a lease run out.
 */
export function checkLeases(evidence: Evidence): Finding[] {
  const findings: Finding[] = [];
  const find = (what: string, about: string) => void findings.push({ guarantee: "G7", what, about });
  const asked = groupBy(evidence.asked, (ask) => `${ask.source} ${ask.invoiceId}`);

  for (const { sent, taken } of evidence.callbacks) {
    if (!taken) continue;
    for (const id of sent.invoiceIds) {
      const since = (asked.get(`${sent.source} ${id}`) ?? []).some(({ began }) => began >= sent.at);
      if (!since) find(`taken, and the provider was not asked for ${id} since`, sent.id);
    }
  }
  for (const [key, asks] of asked) {
    let last: Asked | undefined;
    for (const ask of asks) {
      if (last !== undefined && ask.began < last.ended && !isExplained(evidence, last, ask))
        find("asked for twice at the same time", key);
      if (last === undefined || ask.ended > last.ended) last = ask;
    }
  }
  return findings;
}

/** A lease runs out only where something was wrong since shortly before it was taken. */
const isExplained = (evidence: Evidence, first: Asked, second: Asked) =>
  troubleWithin(evidence, first.began, second.began, evidence.begun.leaseMs) !== undefined;
