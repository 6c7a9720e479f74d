import { randomUUID } from "node:crypto";
import { expect, onTestFinished } from "vitest";
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
import type { Harness } from "../../test/support/relay.ts";
import { invoiceAnswer, type Script } from "../../test/support/scripted-provider.ts";
import { passesApart } from "../environment/passes-apart.ts";
import { INVOICES, type Step } from "./interleaved-steps.ts";

/** A relay taken apart, so that each of its steps can happen, or be cut off, at any moment. */
export async function takenApart(harness: Harness, changes: Record<string, string> = {}) {
  const settings = readSettings(harness.environment(changes), SERVE_REQUIRES);
  const relay = await passesApart(settings, sourcesOf(settings), { max: 6, purpose: "hot" });
  const { db, alarms, passes } = relay;
  const noop = () => undefined;
  const provider = collectionApiProvider({ baseUrl: harness.provider.url, apiKey: "test-api-key" });
  onTestFinished(async () => {
    await relay.close();
    await provider.close();
  });
  return {
    db,
    passes,
    warnings: relay.warnings,
    provider,
    store: new OutcomeStore({ db, alarms, onEvents: noop, handoff: null, routes: [] }),
    callbacks: new CallbackLog({ db, onConfirmations: noop }),
  };
}

type Parts = Awaited<ReturnType<typeof takenApart>>;

const NEVER = new AbortController().signal;
const claimOptions = {
  source: "default",
  limits: { ratePerSecond: null, unknownRatePerSecond: 1_000 },
  total: 10,
  unknown: 10,
  replays: 10,
  chance: 0.5,
  lease: leaseOf(60_000),
};

/** Three invoices at a provider and a relay taken apart: what may happen to them, and what must hold. */
export class Scenario {
  readonly ids = Array.from({ length: INVOICES }, () => randomUUID());
  /** Those that the provider called Paid at some time while it could be read. */
  readonly paid = new Set<string>();
  readonly #harness: Harness;
  readonly #parts: Parts;
  readonly #statuses = this.ids.map(() => "Unpaid");
  readonly #broken = this.ids.map(() => false);
  #clock = Date.parse("2026-11-01T00:00:00Z");
  #olderClock = Date.parse("2026-10-01T00:00:00Z");
  #late: Outcome[] = [];

  constructor(harness: Harness, parts: Parts) {
    this.#harness = harness;
    this.#parts = parts;
    for (const index of this.ids.keys()) this.#say(index);
  }

  #now(): number {
    this.#clock += 1_000;
    return this.#clock;
  }

  #say(index: number, modified = this.#now()): void {
    const id = this.ids[index] as string;
    const status = this.#statuses[index];
    const answer: Script = invoiceAnswer(id, {
      status,
      dateModified: new Date(modified).toISOString(),
      paymentDate: status === "Paid" ? new Date(modified).toISOString() : null,
    });
    this.#harness.provider.invoice(id, this.#broken[index] ? { status: 500, body: "broken" } : answer);
  }

  async happen(given: Step): Promise<void> {
    const { db, passes, callbacks, store, provider } = this.#parts;
    const index = "invoice" in given ? given.invoice : 0;
    const invoiceId = this.ids[index] as string;
    const opening = (openedBy: "reconcile" | "replay") =>
      openConfirmations(db, [{ invoiceId, source: "default" }], {
        openedBy,
        priority: openedBy === "replay" ? "replay" : "known",
      });
    switch (given.do) {
      case "callback":
        await callbacks.append(incomingCallback({ invoiceIds: [invoiceId], foundBy: "data.id" }));
        return;
      case "reconcile":
      case "replay":
        return await opening(given.do);
      case "providerPays":
        this.#statuses[index] = "Paid";
        return this.#say(index);
      case "providerTurnsBack":
        this.#statuses[index] = "Unpaid";
        return this.#say(index);
      case "providerSaysOlder":
        this.#olderClock -= 1_000;
        return this.#say(index, this.#olderClock);
      case "providerIsBroken":
      case "providerIsWell":
        this.#broken[index] = given.do === "providerIsBroken";
        return this.#say(index);
      case "workerConfirms":
        return void (await passes.confirm(NEVER));
      case "workerDiesAsking":
        return void (await claimConfirmations(db, claimOptions));
      case "workerAnswersTooLate": {
        const { items } = await claimConfirmations(db, claimOptions);
        for (const claimed of items) {
          const answer = await provider.askInvoice(claimed.invoiceId, { timeoutMs: 5_000 });
          this.#late.push(judge(claimed, answer, rules, 0.5));
        }
        return;
      }
      case "lateAnswerArrives":
        await Promise.all(this.#late.splice(0).map((outcome) => store.store(outcome)));
        return;
      case "leasesExpire":
        for (const table of ["confirmation", "outbox"])
          await this.#harness.query(
            `update ${table} set claimed_until = now() - interval '1 s' where state = 'claimed'`,
          );
        return void (await passes.rescue());
      case "timePasses":
        await this.#harness.query("update confirmation set due_at = now() where state = 'due'");
        await this.#harness.query("update source set opens_at = '-infinity'");
        return void (await this.#harness.query("update outbox set due_at = now() where state = 'due'"));
      case "workerPublishes":
        return void (await passes.publish(NEVER));
      case "workerDiesPublishing":
        return void (await claimEvents(db, {
          route: { source: "default", invoiceType: "Live", topicArn: this.#harness.topicArn },
          wanted: 10,
          lease: leaseOf(60_000),
        }));
    }
  }

  /** What must hold at every moment. */
  async holds(): Promise<void> {
    const events = await this.#harness.query<{ invoice_id: string; id: string }>(
      "select invoice_id, id from event where invoice_id = any($1)",
      [this.ids],
    );
    expect(new Set(events.map((event) => event.invoice_id)).size, "G4: one event an invoice").toBe(
      events.length,
    );
    const turned = await this.#harness.query(
      `select c.invoice_id from confirmation c join event e using (invoice_id) where c.invoice_id = any($1)
        and c.verdict not in ('paid', 'pending')`,
      [this.ids],
    );
    expect(turned, "G6: Paid never turns into something else").toEqual([]);
    const older = await this.#harness.query(
      `select i.id from invoice i cross join lateral (
          select status, (document->>'dateModified')::timestamptz as modified_at from invoice_snapshot
          where invoice_id = i.id order by 2 desc limit 1) as newest
        where i.id = any($1) and newest.modified_at > i.modified_at
          and not (i.status = 'Paid' and newest.status <> 'Paid')`,
      [this.ids],
    );
    expect(older, "G6: the invoice is the newest answer, or a Paid one, whatever its date").toEqual([]);
  }

  /** Lets the scenario calm down, and checks that nothing waits unseen. */
  async settles(): Promise<void> {
    for (const index of this.ids.keys()) await this.happen({ do: "providerIsWell", invoice: index });
    await this.happen({ do: "lateAnswerArrives" });
    for (let round = 0; round < 12; round += 1) {
      for (const next of ["leasesExpire", "timePasses", "workerConfirms", "workerPublishes"] as const)
        await this.happen({ do: next });
    }
    const open = await this.#harness.query(
      `select invoice_id, state, verdict, attempt from confirmation where invoice_id = any($1)
        and (state in ('due', 'claimed') or verdict is null)`,
      [this.ids],
    );
    expect(open, "G2: every confirmation ends in a verdict").toEqual([]);
    const asked = await this.#harness.query<{ invoice_id: string }>(
      "select invoice_id from confirmation where invoice_id = any($1)",
      [this.ids],
    );
    const unpublished = await this.#harness.query(
      `select i.id from invoice i left join ${EVENTS} on event.invoice_id = i.id and event.state = 'published'
        where i.id = any($1) and i.status = 'Paid' and event.id is null`,
      [this.ids],
    );
    expect(asked.length).toBeLessThanOrEqual(INVOICES);
    expect(unpublished, "every invoice that is Paid was published").toEqual([]);
    const published = await this.#harness.query(
      `select e.id from event e where invoice_id = any($1) and not exists (select from publication p
        where p.event_id = e.id)`,
      [this.ids],
    );
    expect(published, "G5: every event has an acceptance").toEqual([]);
  }
}
