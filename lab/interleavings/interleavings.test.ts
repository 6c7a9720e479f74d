import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { judge } from "../../src/confirm/judge.ts";
import type { Outcome } from "../../src/confirm/outcome.ts";
import { OutcomeStore } from "../../src/confirm/outcome-store.ts";
import { claimConfirmations } from "../../src/confirm/queue/claim.ts";
import { openConfirmations } from "../../src/confirm/queue/open.ts";
import { readSettings, SERVE_REQUIRES, sourcesOf } from "../../src/kit/settings.ts";
import { collectionApiProvider } from "../../src/provider/collection-api-provider.ts";
import { claimEvents } from "../../src/publish/claim-events.ts";
import { CallbackLog } from "../../src/receive/log/callback-log.ts";
import { leaseOf } from "../../src/work/lease.ts";
import { rules } from "../../test/confirm/judging-fixture.ts";
import { EVENTS } from "../../test/support/events.ts";
import { incomingCallback } from "../../test/support/incoming-callback.ts";
import { type Harness, startHarness } from "../../test/support/relay.ts";
import { invoiceAnswer, NOT_FOUND } from "../../test/support/scripted-provider.ts";
import { jobsApart } from "../environment/jobs-apart.ts";

/** A relay taken apart, so that each of its steps can happen, or be cut off, at any moment. */
async function takenApart(harness: Harness) {
  const settings = readSettings(harness.environment(), SERVE_REQUIRES);
  const relay = await jobsApart(settings, sourcesOf(settings), { max: 6, purpose: "hot" });
  const { db, alarms, run } = relay;
  const provider = collectionApiProvider({ baseUrl: harness.provider.url, apiKey: "test-api-key" });
  onTestFinished(async () => {
    await relay.close();
    await provider.close();
  });
  const noop = () => undefined;
  const store = new OutcomeStore({ db, alarms, onEvents: noop, handoff: null, routes: [] });
  return { db, run, provider, store, callbacks: new CallbackLog({ db, onConfirmations: noop }) };
}

const LEASE = leaseOf(60_000);
const CLAIM = {
  ...{ source: "default", limits: { ratePerSecond: null, unknownRatePerSecond: 1_000 }, lease: LEASE },
  ...{ total: 10, unknown: 10, replays: 10, chance: 0.5 },
};
const INVOICES = 3;

/** Invoices at a provider and a relay taken apart: what may happen to them, and what must hold. */
async function scenarioOf(
  { provider: scripted, query, topicArn }: Harness,
  { db, run, provider, store, callbacks }: Awaited<ReturnType<typeof takenApart>>,
) {
  const ids: string[] = Array.from({ length: INVOICES }, () => randomUUID());
  const known = new Map(ids.map((id) => [id, { status: "Unpaid", isBroken: false }]));
  let clock = Date.parse("2026-11-01T00:00:00Z");
  let olderClock = Date.parse("2026-10-01T00:00:00Z");
  let late: Outcome[] = [];

  /** The provider's next answers about an invoice. */
  function say(id: string, change: { status?: string; isBroken?: boolean } = {}, modified?: number): void {
    clock += 1_000;
    const time = new Date(modified ?? clock).toISOString();
    const now = { status: "Unpaid", isBroken: false, ...known.get(id), ...change };
    known.set(id, now);
    const paymentDate = now.status === "Paid" ? time : null;
    const answer = invoiceAnswer(id, { status: now.status, dateModified: time, paymentDate });
    scripted.invoice(id, now.isBroken ? { status: 500, body: "broken" } : answer);
  }
  const open = (invoiceId: string, openedBy: "reconcile" | "replay") =>
    openConfirmations(db, [{ invoiceId, source: "default" }], {
      ...{ openedBy, priority: openedBy === "replay" ? "replay" : "known" },
    });

  const steps = {
    callback: (id: string) => callbacks.append(incomingCallback({ invoiceIds: [id], foundBy: "data.id" })),
    reconcile: (id: string) => open(id, "reconcile"),
    replay: (id: string) => open(id, "replay"),
    providerPays: (id: string) => say(id, { status: "Paid" }),
    providerTurnsBack: (id: string) => say(id, { status: "Unpaid" }),
    providerSaysOlder(id: string) {
      olderClock -= 1_000;
      say(id, {}, olderClock);
    },
    providerIsBroken: (id: string) => say(id, { isBroken: true }),
    providerIsWell: (id: string) => say(id, { isBroken: false }),
    workerConfirms: () => run("confirm"),
    workerDiesAsking: () => claimConfirmations(db, CLAIM),
    async workerAnswersTooLate() {
      const { items } = await claimConfirmations(db, CLAIM);
      for (const claimed of items) {
        const answer = await provider.askInvoice(claimed.invoiceId, { timeoutMs: 5_000 });
        late.push(judge(claimed, answer, rules, 0.5));
      }
    },
    async lateAnswerArrives() {
      const arriving = late;
      late = [];
      await Promise.all(arriving.map((outcome) => store.store(outcome)));
    },
    async leasesExpire() {
      for (const table of ["confirmation", "outbox"])
        await query(`update ${table} set claimed_until = now() - interval '1 s' where state = 'claimed'`);
      await run("rescue");
    },
    async timePasses() {
      await query("update confirmation set due_at = now() where state = 'due'");
      await query("update source set opens_at = '-infinity'");
      await query("update outbox set due_at = now() where state = 'due'");
    },
    workerPublishes: () => run("publish"),
    workerDiesPublishing: () =>
      claimEvents(db, {
        ...{ route: { source: "default", invoiceType: "Live", topicArn }, wanted: 10, lease: LEASE },
      }),
  };

  const found = (text: string) => query(text, [ids]);
  for (const id of ids) say(id);
  return {
    happen: (name: keyof typeof steps, invoice: number) => steps[name](ids[invoice] ?? ""),

    /** What must hold at every moment. */
    async holds(): Promise<void> {
      expect(
        await found("select invoice_id from event where invoice_id = any($1) group by 1 having count(*) > 1"),
        "G4: one event an invoice",
      ).toEqual([]);
      expect(
        await found(
          `select c.invoice_id from confirmation c join event e using (invoice_id) where c.invoice_id = any($1)
            and c.verdict not in ('paid', 'pending')`,
        ),
        "G6: Paid never turns into something else",
      ).toEqual([]);
      expect(
        await found(
          `select i.id from invoice i cross join lateral (
              select status, (document->>'dateModified')::timestamptz as modified_at from invoice_snapshot
              where invoice_id = i.id order by 2 desc limit 1) as newest
            where i.id = any($1) and newest.modified_at > i.modified_at
              and not (i.status = 'Paid' and newest.status <> 'Paid')`,
        ),
        "G6: the invoice is the newest answer, or a Paid one, whatever its date",
      ).toEqual([]);
    },

    /** Lets the scenario calm down, and checks that nothing waits unseen. */
    async settles(): Promise<void> {
      for (const id of ids) steps.providerIsWell(id);
      await steps.lateAnswerArrives();
      for (let round = 0; round < 12; round += 1)
        for (const next of ["leasesExpire", "timePasses", "workerConfirms", "workerPublishes"] as const)
          await steps[next]();
      expect(
        await found(
          `select invoice_id, state, verdict, attempt from confirmation where invoice_id = any($1)
            and (state in ('due', 'claimed') or verdict is null)`,
        ),
        "G2: every confirmation ends in a verdict",
      ).toEqual([]);
      expect(
        await found(
          `select i.id from invoice i left join ${EVENTS} on event.invoice_id = i.id and event.state = 'published'
            where i.id = any($1) and i.status = 'Paid' and event.id is null`,
        ),
        "every invoice that is Paid was published",
      ).toEqual([]);
      expect(
        await found(
          `select e.id from event e where invoice_id = any($1) and not exists (select from publication p
            where p.event_id = e.id)`,
        ),
        "G5: every event has an acceptance",
      ).toEqual([]);
    },
    names: Object.keys(steps) as (keyof typeof steps)[],
  };
}

it("whatever happens in whatever order, G2, G4, G5 and G6 hold", async () => {
  const harness = await startHarness();
  harness.provider.otherwise(NOT_FOUND);
  const parts = await takenApart(harness);
  const { names } = await scenarioOf(harness, parts);
  const step = fc.tuple(fc.constantFrom(...names), fc.nat(INVOICES - 1));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const scenario = await scenarioOf(harness, parts);
      for (const [name, invoice] of steps) {
        await scenario.happen(name, invoice);
        await scenario.holds();
      }
      await scenario.settles();
    }),
    { numRuns: 40 },
  );
});
