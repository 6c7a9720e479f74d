import { randomUUID } from "node:crypto";
import { DAY_MS, MINUTE_MS, meanings, written } from "./dates.ts";
import type { Account, Held } from "./hostile-provider.ts";
import { type Finding, judge, type Member, unhealed } from "./model.ts";
import type { InvoicePlan, SourcePlan, WorldPlan } from "./plan.ts";
import { idOf, WorldRelay, type Yard } from "./yard.ts";

/** What a world came to. */
export interface Played {
  findings: Finding[];
  results: string[];
}

interface Merchant {
  name: string;
  plan: SourcePlan;
  account: Account;
  members: Member[];
}

/**
 * Lives through one world: payments, callbacks and a sweep; what the provider changes and what somebody
 * deletes; a certificate of each source; another sweep, which has to heal, and a certificate again.
 */
export async function playWorld(yard: Yard, world: WorldPlan): Promise<Played> {
  const id = randomUUID().slice(0, 8);
  const now = new Date();
  const midnight = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const window = { from: new Date(midnight - 5 * DAY_MS), to: new Date(midnight - DAY_MS) };
  const merchants = world.sources.map((plan, n) => merchantOf(`w-${id}-${n}`, plan, world.zone, now));
  for (const { name, account } of merchants) yard.provider.accounts.set(`key-${name}`, account);
  const relay = await WorldRelay.start(
    yard,
    `w-${id}`,
    world.zone,
    merchants.map(({ name, account: { collectionId } }) => ({ name, apiKey: `key-${name}`, collectionId })),
  );
  const played: Played = { findings: [], results: [] };
  const look = () => {
    const sent = relay.sent();
    for (const { name, members } of merchants)
      for (const member of members) member.sent = sent.get(`${name}/${member.held.id}`) ?? [];
  };
  const prove = async (isHealed: boolean) => {
    look();
    for (const { name, plan, members } of merchants) {
      for (const { held } of members) held.shown = false;
      const said = await relay.certify(name, window);
      played.results.push(said.result);
      played.findings.push(...judge(said, plan.list, members, window, isHealed));
    }
  };
  try {
    for (const { name, members } of merchants) await relay.hear(name, heardOf(members));
    await relay.settle();
    await relay.sweep();
    await relay.settle();
    look();
    for (const { name, members } of merchants) {
      for (const member of members) change(member, world.zone);
      await relay.hear(name, heardOf(members.filter(({ plan }) => plan.told && plan.later !== "nothing")));
    }
    await relay.settle();
    for (const { name, members } of merchants)
      for (const member of members) await makeHole(yard, name, member);
    await prove(false);
    await relay.sweep();
    await relay.settle();
    await prove(true);
    for (const { plan, members } of merchants) played.findings.push(...unhealed(plan.list, members));
  } finally {
    await relay.close();
    for (const { name } of merchants) yard.provider.accounts.delete(`key-${name}`);
  }
  return played;
}

const heardOf = (members: readonly Member[]) =>
  members.filter(({ plan }) => plan.heard).map(({ held }) => held.id);

function merchantOf(name: string, plan: SourcePlan, zone: string, now: Date): Merchant {
  const members = plan.invoices.map((invoice, place) => ({
    plan: invoice,
    held: heldOf(invoice, place, zone, now),
    earlier: [],
    sent: [],
  }));
  const account = {
    collectionId: randomUUID(),
    ...{ list: plan.list, zoneHours: plan.list.zoneHours, tooMany: plan.list.tooMany, pages: 0 },
    invoices: new Map(members.map(({ held }) => [held.id, held])),
  };
  return { name, plan, account, members };
}

const STATUS = { paid: "Paid", unpaid: "Unpaid", invalidated: "Invalidated" };

function heldOf(plan: InvoicePlan, place: number, zone: string, now: Date): Held {
  const moment = new Date(Math.floor((now.getTime() - plan.paidMinutesAgo * MINUTE_MS) / 1_000) * 1_000);
  const createdAt = new Date(moment.getTime() - plan.createdMinutesBefore * MINUTE_MS);
  const paidAt = plan.truth === "paid" || plan.truth === "unknown" ? moment : null;
  const status = plan.truth === "unknown" ? plan.unknownStatus : STATUS[plan.truth];
  const isFilledInLater = plan.later === "date filled in";
  return {
    ...{ id: idOf(place), type: plan.type, status, createdAt, paidAt, deep: plan.deep },
    ...{ gone: false, left: false, shown: false },
    label: plan.label === undefined ? status : plan.label,
    listDate: written(plan.listDate, paidAt, { zone, createdAt }),
    answerDate: isFilledInLater ? null : written(plan.answerDate, paidAt, { zone, createdAt }),
    amount: `${1_000 + place}.50`,
    charges: {
      serviceCharge: "10.25",
      vat: "0.75",
      totalAmount: `${1_011 + place}.50`,
      settleableAmount: "990.00",
    },
    modifiedAt: paidAt ?? createdAt,
  };
}

/** What the provider does later to a payment that was published. */
function change(member: Member, zone: string): void {
  const { plan, held, earlier, sent } = member;
  const { paidAt, createdAt } = held;
  if (sent.length === 0 || paidAt === null) return;
  switch (plan.later) {
    case "charges corrected":
      held.charges = { ...held.charges, serviceCharge: "12.00", vat: "0.90", settleableAmount: "980.00" };
      break;
    case "moved to another day": {
      const later = new Date(paidAt.getTime() + DAY_MS);
      if (later.getTime() > Date.now()) return;
      earlier.push(...meanings(plan.answerDate, paidAt), ...meanings(plan.listDate, paidAt));
      held.paidAt = later;
      break;
    }
    case "date filled in":
      earlier.push(createdAt);
      break;
    case "total changed":
      held.charges = { ...held.charges, totalAmount: "2000.00" };
      break;
    case "amount changed":
      held.amount = "900.00";
      break;
    case "reversed":
      held.status = "Reversed";
      if (plan.label === undefined) held.label = "Reversed";
      break;
    case "vanished":
      held.gone = true;
      break;
    default:
      return;
  }
  held.modifiedAt = new Date();
  held.listDate = written(plan.listDate, held.paidAt, { zone, createdAt });
  held.answerDate = written(plan.answerDate, held.paidAt, { zone, createdAt });
}

const EVENT = "select id from event where source = $1 and invoice_id = $2";
const BY_HAND: Partial<Record<InvoicePlan["hole"], string>> = {
  event: "delete from event where source = $1 and invoice_id = $2",
  publication: `delete from publication where source = $1 and event_id in (${EVENT})`,
  invoice: "delete from invoice where source = $1 and id = $2",
  confirmation: "delete from confirmation where source = $1 and invoice_id = $2",
  "amount of the event": `update event set payload = replace(payload, '"amount":"', '"amount":"9') where source = $1 and invoice_id = $2`,
  "amount of the invoice": "update invoice set amount = amount + 1 where source = $1 and id = $2",
};

/** What a hand does to the rows of a payment that was published; of any other there is no hole. */
async function makeHole(yard: Yard, source: string, member: Member): Promise<void> {
  const statement = BY_HAND[member.plan.hole];
  if (statement === undefined) return;
  if (member.sent.length === 0) member.plan = { ...member.plan, hole: "none" };
  else await yard.query(statement, [source, member.held.id]);
}
