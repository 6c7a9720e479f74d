import type { Evidence } from "./evidence.ts";
import { type Finding, groupBy } from "./finding.ts";

/** G10: with reconciliation, every payment at the provider was published for every source that sees it. */
export function checkAllFound({ begun, became, accepted }: Evidence): Finding[] {
  const published = new Set(accepted.map(({ topicArn, event }) => `${topicArn} ${event.data?.invoiceId}`));
  const findings: Finding[] = [];
  for (const [invoiceId, changes] of groupBy(became, (change) => change.invoiceId)) {
    const last = changes.at(-1);
    if (last?.status !== "Paid") continue;
    for (const source of last.sources) {
      const topics = begun.sources[source];
      const topicArn = last.type === "Live" ? topics?.topicArn : topics?.testTopicArn;
      if (published.has(`${topicArn} ${invoiceId}`)) continue;
      const what = "paid at the provider, but never published";
      findings.push({ guarantee: "G10", what, about: `${source} ${invoiceId}` });
    }
  }
  return findings;
}
