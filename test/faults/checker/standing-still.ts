import { afterCalm, type Evidence } from "./evidence.ts";
import { type Finding, groupBy } from "./finding.ts";

/** The 30 s of G11, plus what a busy machine needs to do the work, in ms. */
const STANDSTILL_MS = 30_000;
const WORK_MS = 5_000;

/** A process ends within 10 s of SIGTERM; in ms, plus what a busy machine needs. */
const STOPPED_MS = 12_000;

/**
 * G11: after 30 s (or three leases) without a disturbance, earlier callbacks are published, if the invoice
 * was paid when the callback came in; otherwise it may still wait on the ladder. And no process ends by
 * itself, whatever is away.
 */
export function checkStandingStill(evidence: Evidence): Finding[] {
  const findings: Finding[] = [];
  const limitMs = Math.max(STANDSTILL_MS, 3 * evidence.begun.leaseMs) + WORK_MS;
  const changes = groupBy(evidence.became, ({ invoiceId }) => invoiceId);
  const accepted = groupBy(
    evidence.accepted,
    ({ topicArn, event }) => `${topicArn} ${event.data?.invoiceId}`,
  );

  for (const { sent, answered, taken } of evidence.callbacks) {
    if (!taken || answered === null) continue;
    const topics = evidence.begun.sources[sent.source];
    for (const id of sent.invoiceIds) {
      const before = (changes.get(id) ?? []).filter(({ at }) => at <= sent.at);
      const after = (changes.get(id) ?? []).filter(({ at }) => at > sent.at);
      if (before.at(-1)?.status !== "Paid" || after.length > 0) continue;
      const topicArn = before.at(-1)?.type === "Live" ? topics?.topicArn : topics?.testTopicArn;
      const deadline = afterCalm(evidence, answered.at, limitMs);
      const inTime = (accepted.get(`${topicArn} ${id}`) ?? []).some(({ at }) => at <= deadline);
      if (!inTime && deadline <= evidence.endedAt)
        findings.push({
          guarantee: "G11",
          what: `answered 2xx, paid, undisturbed for ${limitMs / 1000} s, but not published`,
          about: id,
        });
    }
  }
  for (const { name, code } of thoseThatGaveUp(evidence))
    findings.push({ guarantee: "G11", what: `ended by itself with ${code}`, about: name });
  for (const name of namesOfStuck(evidence))
    findings.push({
      guarantee: "G11",
      what: `told to stop, but still running after ${STOPPED_MS / 1000} s`,
      about: name,
    });
  return findings;
}

/** The exit code of a process that was told to stop may mean that it left work for others. */
function thoseThatGaveUp({ processes }: Evidence) {
  return processes.filter(({ pid, doing, code }) => {
    const wasTold = processes.some((line) => line.pid === pid && line.state === "stopping");
    return doing === "serve" && code !== null && code !== 0 && !wasTold;
  });
}

function namesOfStuck({ processes }: Evidence): string[] {
  return processes
    .filter(({ state, name, at }, index) => {
      const next = processes.slice(index + 1).find((line) => line.name === name);
      return state === "stopping" && next !== undefined && next.at - at > STOPPED_MS;
    })
    .map(({ name }) => name);
}
