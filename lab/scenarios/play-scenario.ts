import { hash, randomUUID } from "node:crypto";
import { DAY_MS, meanings } from "./dates.ts";
import { type Environment, openRelay } from "./environment.ts";
import type { Account, Held } from "./hostile-provider.ts";
import { checkCertificate, type Finding, type Member, unhealed } from "./model.ts";
import type { InvoicePlan, ScenarioPlan } from "./plan.ts";

const MINUTE_MS = 60_000;

/** What a scenario came to: what is wrong, and the results of its certificates. */
interface Played {
  findings: Finding[];
  results: string[];
}

/**
 * Lives through one scenario: payments, callbacks and a sweep; what the provider changes and what somebody
 * deletes; a certificate of each source; another sweep, which has to heal, and a certificate again.
 */
export async function playScenario(
  environment: Environment,
  { zone, sources }: ScenarioPlan,
): Promise<Played> {
  // All that happens is placed by the day, so that it is the same at every hour.
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const window = { from: new Date(midnight - 5 * DAY_MS), to: new Date(midnight - DAY_MS) };
  environment.scenarios += 1;
  const merchants = sources.map(({ list, invoices }, n) => {
    const members = invoices.map((plan, place) => memberOf(plan, place, midnight));
    const held = new Map(members.map((member) => [member.held.id, member.held]));
    const account: Account = {
      ...{ collectionId: randomUUID(), list, zone, invoices: held, tooMany: list.tooMany, pages: 0 },
    };
    return { name: `w-${environment.scenarios}-${n}`, list, account, members };
  });
  for (const { name, account } of merchants) environment.provider.accounts.set(name, account);
  const collections = new Map(merchants.map(({ name, account }) => [name, account.collectionId]));
  const relay = await openRelay(environment, zone, collections);
  const played: Played = { findings: [], results: [] };
  const hear = async (isHeard: (plan: InvoicePlan) => boolean) => {
    for (const { name, members } of merchants) {
      const heard = members.filter(({ plan }) => plan.heard && isHeard(plan)).map(({ held }) => held.id);
      await relay.hear(name, heard);
    }
    await relay.settle();
  };
  const sweep = async () => {
    await relay.sweep();
    await relay.settle();
  };
  const look = () => {
    const sent = relay.sent();
    for (const { name, members } of merchants)
      for (const member of members) member.sent = sent.get(`${name}/${member.held.id}`) ?? [];
  };
  const prove = async (isHealed: boolean) => {
    look();
    for (const { name, list, members } of merchants) {
      for (const { held } of members) held.shown = false;
      const said = await relay.certify(name, window);
      played.results.push(said.result);
      played.findings.push(...checkCertificate(said, { list, members, window, isHealed }));
    }
  };
  try {
    await hear(() => true);
    await sweep();
    look();
    for (const { members } of merchants) for (const member of members) change(member, midnight);
    await hear(({ told, later }) => told && later !== "nothing");
    for (const { name, members } of merchants)
      for (const member of members) await makeHole(environment, name, member);
    await prove(false);
    await sweep();
    await prove(true);
    for (const { list, members } of merchants) played.findings.push(...unhealed(list, members));
  } finally {
    await relay.close();
    for (const { name } of merchants) environment.provider.accounts.delete(name);
  }
  return played;
}

/** The same for the same place in any scenario; in the order of ids places lie anywhere. */
const idOf = (place: number): string =>
  hash("sha256", `invoice ${place}`).replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-4$3-8$4-$5");

const STATUS = { paid: "Paid", unpaid: "Unpaid", invalidated: "Invalidated" };

function memberOf(plan: InvoicePlan, place: number, midnight: number): Member {
  const { type, truth, label, listDate, answerDate, later, deep } = plan;
  const moment = new Date(midnight - plan.paidMinutesBefore * MINUTE_MS);
  const createdAt = new Date(moment.getTime() - plan.createdMinutesBefore * MINUTE_MS);
  const paidAt = truth === "paid" || truth === "unknown" ? moment : null;
  const status = truth === "unknown" ? plan.unknownStatus : STATUS[truth];
  const held: Held = {
    ...{ id: idOf(place), type, status, label: label === undefined ? status : label, createdAt, paidAt },
    ...{ modifiedAt: paidAt ?? createdAt, listDate, amount: 1_000.5 + place },
    answerDate: later === "date filled in" ? "none" : answerDate,
    charges: { serviceCharge: 10.25, vat: 0.75, totalAmount: 1_011.5 + place, settleableAmount: 990 },
    ...{ deep, gone: false, left: false, shown: false },
  };
  return { plan, held, earlier: [], sent: [] };
}

/** What the provider does later to a payment that was published. */
function change({ plan, held, earlier, sent }: Member, midnight: number): void {
  const { paidAt, createdAt, charges } = held;
  if (sent.length === 0 || paidAt === null) return;
  switch (plan.later) {
    case "charges corrected":
      held.charges = { ...charges, serviceCharge: 12, vat: 0.9, settleableAmount: 980 };
      break;
    case "moved to another day":
      // Nothing is paid in the future.
      if (paidAt.getTime() + DAY_MS > midnight) return;
      earlier.push(...meanings(plan.answerDate, paidAt), ...meanings(plan.listDate, paidAt));
      held.paidAt = new Date(paidAt.getTime() + DAY_MS);
      break;
    case "date filled in":
      earlier.push(createdAt);
      held.answerDate = plan.answerDate;
      break;
    case "total changed":
      held.charges = { ...charges, totalAmount: 2_000 };
      break;
    case "amount changed":
      held.amount = 900;
      break;
    case "reversed":
      held.status = "Reversed";
      if (plan.label === undefined) held.label = "Reversed";
      break;
    case "vanished":
      held.gone = true;
      break;
    case "nothing":
      return;
  }
  held.modifiedAt = new Date();
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
async function makeHole(environment: Environment, source: string, member: Member): Promise<void> {
  const statement = BY_HAND[member.plan.hole];
  if (statement === undefined) return;
  if (member.sent.length === 0) member.plan = { ...member.plan, hole: "none" };
  else await environment.query(statement, [source, member.held.id]);
}
