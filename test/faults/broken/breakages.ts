/** A change that breaks a guarantee. */
export interface Breakage {
  file: string;
  /** Must occur exactly once. */
  find: string;
  replace: string;
}

/** Each guarantee's mechanism taken away, as the change that does it. `test/house` holds that each still fits. */
export const BREAKAGES = {
  answersBeforeCommit: {
    file: "src/receive/callback-intake.ts",
    find: "const id = await this.#options.log.append(callback);",
    replace: 'const id = "early"; this.#options.log.append(callback).catch(() => {});',
  },
  leasesNeverRunOut: {
    file: "src/work/leased-rows.ts",
    find: "claimed_until < now() or",
    replace: "(claimed_until < now() and false) or",
  },
  anotherIdentityEachTime: {
    file: "src/events/invoice-paid.ts",
    find: "id: invoicePaidId(data.invoiceId),",
    replace: "id: crypto.randomUUID(),",
  },
  markedBeforePublished: {
    file: "src/publish/publish-line.ts",
    find: 'step("events leave");',
    replace:
      'await this.#keep(batch, batch.map(() => ({ kind: "accepted", messageId: crypto.randomUUID() })));',
  },
  timedOutConnectionsStay: {
    file: "src/database/sessions.ts",
    find: "if (isReadTimeout(error) || isLastAnswer(error)) this.abandon(error);",
    replace: "if (isLastAnswer(error)) this.abandon(error);",
  },
  retryAfterIgnored: {
    file: "src/collection-api/judge-answer.ts",
    find: 'retryAfterMs(header(answer, "retry-after"), now)',
    replace: "(retryAfterMs, header, now, 1)",
  },
  alarmsNotInTransaction: {
    file: "src/confirm/outcome-store.ts",
    find: "return raises.length + clears.length === 0",
    replace: "return raises.length + clears.length >= 0",
  },
  alarmsAfterCommit: {
    file: "src/confirm/outcome-store.ts",
    find: "alarms.notify(raised);",
    replace: "for (const alarm of raised) await alarms.raise(alarm);",
  },
} satisfies Record<string, Breakage>;
