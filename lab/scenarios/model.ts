import { isDoubtful, meanings } from "./dates.ts";
import type { Held } from "./hostile-provider.ts";
import type { InvoicePlan, ListPlan } from "./plan.ts";

/** One invoice of a scenario: what was planned, and what the provider says now. */
export interface Member {
  plan: InvoicePlan;
  held: Held;
  /** Payment times that the provider named before. */
  earlier: Date[];
  /** What consumers were sent on the live topic, oldest first: amounts. */
  sent: string[];
}

/** What a certificate says, as far as the model looks at it. */
export interface Said {
  result: "equal" | "not_equal" | "refused";
  refusals: string[];
  differences: { invoiceId: string | null; reason: string; weight: string; detail: string }[];
  total: { paid: { count: number } };
}

export interface Finding {
  kind: "false green" | "false red" | "false refusal" | "wrong count" | "unhealed";
  about: string;
}

export interface Window {
  from: Date;
  to: Date;
}

const UNPAID = ["unpaid", "invalidated", "expired"];
const HOLES: Record<string, string[]> = {
  event: ["event_missing"],
  publication: ["no_acceptance"],
  invoice: ["invoice_missing", "event_without_payment"],
  confirmation: ["confirmation_missing"],
};
const EDITS: Record<string, string[]> = {
  "amount of the event": ["amount_differs", "books_differ", "payload_differs"],
  "amount of the invoice": ["amount_differs", "books_differ"],
};

const plainLabel = ({ held }: Member) =>
  String(held.label ?? "")
    .trim()
    .toLowerCase();

const hasKnownStatus = ({ held }: Member) => ["Paid", "Unpaid", "Invalidated"].includes(held.status);
const isPaid = ({ held }: Member) => held.status === "Paid" && !held.gone;
const isLive = ({ held }: Member) => held.type === "Live";

/** Whether everything that a list says of it is that it is unpaid: it gives no reader a reason to ask. */
const isListedUnpaid = (member: Member) =>
  UNPAID.includes(plainLabel(member)) && meanings(member.plan.listDate, member.held.paidAt).length === 0;

const isPassedOver = (member: Member) => !member.plan.heard && isListedUnpaid(member);

const showsNothing = ({ statusFilter, dateFilter }: ListPlan) =>
  [statusFilter, dateFilter].includes("shows nothing");

/** It can be read to its end, and holds everything. */
const isShown = (list: ListPlan) =>
  list.pages === "whole" &&
  list.leaves === 0 &&
  (list.next === "right" || list.next === "missing") &&
  list.pastTheEnd !== "last page" &&
  ["right", "zero past the end"].includes(list.count) &&
  !showsNothing(list);

/** Whether it is a payment of the period: surely, surely not, or (null) by how it is read. */
function isWithin({ plan, held, earlier }: Member, { from, to }: Window): boolean | null {
  const { paidAt, createdAt } = held;
  const moments = [...earlier, ...meanings(plan.answerDate, paidAt)];
  // What nothing dates counts by its creation, or by what the list says.
  if (moments.length === earlier.length) {
    moments.push(createdAt, ...meanings(plan.listDate, paidAt));
    if (paidAt !== null && [plan.answerDate, plan.listDate].some(isDoubtful)) moments.push(paidAt);
  }
  const inside = moments.map((moment) => moment >= from && moment < to);
  return inside.every((one) => one === inside[0]) ? inside[0] === true : null;
}

/** The reasons that may stand against it; "any" for what is rightly in doubt. */
function allowed(member: Member, isHealed: boolean): "any" | string[] {
  const { plan, held } = member;
  if (!hasKnownStatus(member) || held.gone) return "any";
  if (!isPaid(member)) return plainLabel(member) === "paid" ? "any" : [];
  if (!isLive(member)) return [];
  if (member.sent.length === 0) return "any";
  const isLeft = !isHealed || isListedUnpaid(member);
  return [
    ...(EDITS[plan.hole] ?? []),
    ...(plan.later === "amount changed" || plan.later === "total changed" ? ["amount_differs"] : []),
    ...(isLeft ? (HOLES[plan.hole] ?? []) : []),
    // The answer that its event was made from went with the row.
    ...(plan.hole === "invoice" && plan.later !== "nothing" ? ["books_differ"] : []),
  ];
}

/** Why this must keep a certificate of its period from being green; null when it need not. */
function mustBeRed(member: Member, list: ListPlan, isHealed: boolean): string | null {
  const { plan, held, sent } = member;
  if (!isLive(member) || isPassedOver(member)) return null;
  // Nobody can tell what a list leaves out always, unless it counts it.
  const isCounted = list.count === "right" && list.leaves === 0 && !showsNothing(list);
  if (!isShown(list) && !plan.heard && !held.shown && !isCounted) return null;
  if (!hasKnownStatus(member) && plan.later !== "reversed" && !held.gone)
    return `its status is ${held.status}`;
  if (!isPaid(member)) return null;
  if (sent.length === 0) return "it is paid, and was never published";
  if (EDITS[plan.hole] !== undefined) return `the ${plan.hole} was edited`;
  if (!isHealed && HOLES[plan.hole] !== undefined) return `its ${plan.hole} was deleted`;
  const isToldOf = plan.told || !UNPAID.includes(plainLabel(member));
  // What was found only after the change was published with the new amount.
  const wasPublished = Number(sent.at(-1)) !== held.amount;
  if (plan.later === "amount changed" && wasPublished && isToldOf && plan.hole === "none")
    return `its amount is ${held.amount}, and ${sent.at(-1)} was published`;
  return null;
}

/** Whether the list can be read without any doubt, and so nothing excuses a refusal. */
const isHonest = (list: ListPlan, members: readonly Member[]): boolean =>
  isShown(list) &&
  list.statusFilter !== "ignored" &&
  members.every(
    (member) =>
      member.plan.label === undefined &&
      hasKnownStatus(member) &&
      !member.held.gone &&
      !isDoubtful(member.plan.listDate),
  );

const nameOf = ({ plan, held }: Member): string => {
  const { heard, later, told, hole, listDate, answerDate } = plan;
  const { status, label, type, createdAt, paidAt } = held;
  const known = { status, label, type, createdAt, paidAt, listDate, answerDate, heard, later, told, hole };
  return `${held.id} (${JSON.stringify(known)})`;
};

interface Proof {
  list: ListPlan;
  members: readonly Member[];
  window: Window;
  /** A sweep has run since the holes were made. */
  isHealed: boolean;
}

/** Checks one certificate of one source. */
export function* checkCertificate(
  said: Said,
  { list, members, window, isHealed }: Proof,
): Generator<Finding> {
  if (said.result === "refused") {
    if (isHonest(list, members)) yield { kind: "false refusal", about: said.refusals.join(" ") };
    return;
  }
  if (said.result === "equal") {
    for (const member of members) {
      const why = isWithin(member, window) === true ? mustBeRed(member, list, isHealed) : null;
      if (why !== null) yield { kind: "false green", about: `${why}: ${nameOf(member)}` };
    }
    const counting = members.filter((one) => isPaid(one) && isLive(one));
    const surely = counting.filter((one) => isWithin(one, window) === true && !isPassedOver(one)).length;
    const most = counting.filter((one) => isWithin(one, window) !== false).length;
    const { count } = said.total.paid;
    const isSure = isShown(list) && members.every(({ held }) => held.status !== "Reversed");
    if (isSure && (count < surely || count > most))
      yield {
        kind: "wrong count",
        about: `${count} payments, where ${surely} to ${most} belong to the period`,
      };
    return;
  }
  const wrong = said.differences.filter(({ weight }) => weight !== "note");
  if (wrong.length === 0) yield { kind: "false red", about: "it names no difference" };
  for (const { invoiceId, reason, detail } of wrong) {
    const member = members.find(({ held }) => held.id === invoiceId);
    // What a list never shows no sweep can heal.
    const reasons = member === undefined ? ofNobody(members) : allowed(member, isHealed && isShown(list));
    if (reasons === "any" || reasons.includes(reason)) continue;
    yield {
      kind: "false red",
      about: `${reason} (${detail}): ${member === undefined ? invoiceId : nameOf(member)}`,
    };
  }
}

/** The reasons that may stand against what is no invoice of this scenario. */
const ofNobody = (members: readonly Member[]) =>
  members.some(({ plan }) => plan.hole === "event") ? ["acceptance_without_event"] : [];

/** What a sweep should have found and published by now. */
export const unhealed = (list: ListPlan, members: readonly Member[]): Finding[] =>
  members
    .filter((one) => isPaid(one) && isLive(one) && one.sent.length === 0 && !isPassedOver(one))
    .filter(({ plan }) => isShown(list) || plan.heard)
    .map((member) => ({
      kind: "unhealed",
      about: `paid, listed, and never published: ${nameOf(member)}`,
    }));
