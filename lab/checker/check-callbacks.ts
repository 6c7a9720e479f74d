import { type Asked, afterCalm, type Evidence, type Findings, troubleWithin } from "./evidence.ts";
import type { Books } from "./read-books.ts";

/**
 * G1: a callback that got a 2xx is in the log, unchanged and once, together with the confirmations it opens;
 * the log contains nothing that was not sent; and a refused sender was told when to retry.
 */
export function* checkRecorded({ callbacks }: Evidence, books: Books): Findings {
  const rows = Map.groupBy(books.callbacks, (row) => row.sent_as ?? "");
  const opened = new Set(books.confirmations.map((row) => `${row.source} ${row.invoice_id}`));
  const known = new Set(callbacks.map(({ sent }) => sent.id));

  for (const { sent, answered, taken } of callbacks) {
    const [row, ...more] = rows.get(sent.id) ?? [];
    if (taken && row === undefined) yield ["answered 2xx, but not in the log", sent.id];
    if (answered?.status === 503 && !/^[1-9]\d*$/.test(answered.retryAfter ?? ""))
      yield ["answered 503 without Retry-After", sent.id];
    if (row === undefined) continue;
    if (more.length > 0) yield [`in the log ${more.length + 1} times`, sent.id];
    for (const field of ["source", "method", "query", "body"] as const)
      if (row[field] !== sent[field]) yield [`its ${field} is not what was sent`, sent.id];
    for (const id of sent.invoiceIds) {
      if (!row.invoice_ids.includes(id)) yield [`invoice ${id} was not found in it`, sent.id];
      if (!opened.has(`${row.source} ${id}`))
        yield [`in the log, but invoice ${id} was never opened`, sent.id];
    }
  }
  for (const row of books.callbacks)
    if (!known.has(row.sent_as ?? "")) yield ["in the log, but never sent", row.id];
}

/**
 * G7: after a callback got its 2xx, a request for its invoice starts; and no two processes ask about the same
 * invoice at once, unless a fault let a lease expire.
 */
export function* checkLeases(evidence: Evidence): Findings {
  const asked = Map.groupBy(evidence.asked, (ask) => `${ask.source} ${ask.invoiceId}`);

  for (const { sent, taken } of evidence.callbacks) {
    if (!taken) continue;
    for (const id of sent.invoiceIds) {
      const since = (asked.get(`${sent.source} ${id}`) ?? []).some(({ began }) => began >= sent.at);
      if (!since) yield [`got a 2xx, but the provider was not asked about ${id} since`, sent.id];
    }
  }
  for (const [key, asks] of asked) {
    let last: Asked | undefined;
    for (const ask of asks) {
      if (last !== undefined && ask.began < last.ended && !isExplained(evidence, last, ask))
        yield ["asked about twice at the same time", key];
      if (last === undefined || ask.ended > last.ended) last = ask;
    }
  }
}

/** A lease expires only if there was a disturbance since shortly before it was taken. */
const isExplained = (evidence: Evidence, first: Asked, second: Asked) =>
  troubleWithin(evidence, first.began, second.began, evidence.begun.leaseMs) !== undefined;

/** How long requests that were claimed or sent before the 429 may still arrive, in ms. */
const ON_THEIR_WAY_MS = 1_000;

/**
 * G8: after a 429 a source gets no requests for as long as Retry-After says. Checked only where nothing else
 * was wrong, since the processes share this through Postgres.
 */
export function* checkPace({ asked, troubles }: Evidence): Findings {
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
      yield [
        `asked within the ${retryAfterS} s of the provider's Retry-After`,
        `${source} ${early.invoiceId}`,
      ];
  }
}

/** The 30 s of G11, plus what a busy machine needs to do the work, in ms. */
const STANDSTILL_MS = 30_000;
const WORK_MS = 5_000;

/** A process ends within 10 s of SIGTERM; in ms, plus what a busy machine needs. */
const STOPPED_MS = 12_000;

/**
 * G11: after 30 s (or three leases) without a disturbance, earlier callbacks are published, if the invoice
 * was paid when the callback came in; otherwise it may still wait on the retry schedule. And no process ends by
 * itself, whatever is away.
 */
export function* checkStandingStill(evidence: Evidence): Findings {
  const limitMs = Math.max(STANDSTILL_MS, 3 * evidence.begun.leaseMs) + WORK_MS;
  const changes = Map.groupBy(evidence.became, ({ invoiceId }) => invoiceId);
  const accepted = Map.groupBy(
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
        yield [`answered 2xx, paid, undisturbed for ${limitMs / 1000} s, but not published`, id];
    }
  }
  for (const { name, code } of thoseThatGaveUp(evidence)) yield [`ended by itself with ${code}`, name];
  for (const name of namesOfStuck(evidence))
    yield [`told to stop, but still running after ${STOPPED_MS / 1000} s`, name];
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
