import { isDoubtful, meanings } from "./dates.ts";
import type { Held } from "./hostile-provider.ts";
import type { InvoicePlan, ListPlan } from "./plan.ts";

/** One invoice of a world: what was planned, and what the provider says now. */
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

const isPaid = ({ held }: Member) => held.status === "Paid" && !held.gone;
const isLive = ({ held }: Member) => held.type === "Live";

/** Everything that this says of it is that it is unpaid: no reader has a reason to ask. */
function isPassedOver(member: Member): boolean {
  if (member.plan.heard || !UNPAID.includes(plainLabel(member))) return false;
  return meanings(member.plan.listDate, member.held.paidAt).length === 0;
}

/** It can be read to its end, and holds everything. */
export const isShown = ({ pages, next, pastTheEnd, count, leaves, ...filters }: ListPlan): boolean =>
  pages === "whole" &&
  leaves === 0 &&
  (next === "right" || next === "missing") &&
  pastTheEnd !== "last page" &&
  ["right", "missing", "zero past the end"].includes(count) &&
  filters.statusFilter !== "shows nothing" &&
  filters.dateFilter !== "shows nothing";

/** Whether it is a payment of the period: surely, surely not, or by how it is read. */
export function isWithin({ plan, held, earlier }: Member, { from, to }: Window): boolean | null {
  const answer = meanings(plan.answerDate, held.paidAt);
  const doubtful =
    [plan.answerDate, plan.listDate].some(isDoubtful) && held.paidAt !== null ? [held.paidAt] : [];
  // What nothing dates counts by its creation, or by what the list says.
  const others =
    answer.length > 0 ? [] : [held.createdAt, ...meanings(plan.listDate, held.paidAt), ...doubtful];
  const inside = [...answer, ...others, ...earlier].map((moment) => moment >= from && moment < to);
  if (inside.every((one) => one)) return true;
  return inside.some((one) => one) ? null : false;
}

/** The reasons that may stand against it; "any" for what is rightly in doubt. */
function allowed(member: Member, isHealed: boolean): "any" | string[] {
  const { plan, held } = member;
  const isUnknown = !["Paid", "Unpaid", "Invalidated"].includes(held.status);
  if (isUnknown || held.gone) return "any";
  if (!isPaid(member)) return plainLabel(member) === "paid" ? "any" : [];
  if (!isLive(member)) return [];
  if (member.sent.length === 0) return "any";
  const reasons = EDITS[plan.hole] ?? [];
  const amounts = plan.later === "amount changed" || plan.later === "total changed" ? ["amount_differs"] : [];
  const hole =
    isHealed && !isPassedOver({ ...member, plan: { ...plan, heard: false } }) ? [] : (HOLES[plan.hole] ?? []);
  // The answer that its event was made from went with the row.
  const lost = plan.hole === "invoice" && plan.later !== "nothing" ? ["books_differ"] : [];
  return [...reasons, ...amounts, ...hole, ...lost];
}

/** Why this must keep a certificate of its period from being green; null when it need not. */
function mustBeRed(member: Member, list: ListPlan, isHealed: boolean): string | null {
  const { plan, held } = member;
  if (!isLive(member) || isPassedOver(member)) return null;
  // Nobody can tell what a list leaves out always, unless it counts it.
  const isCounted =
    list.count === "right" &&
    list.leaves === 0 &&
    ![list.statusFilter, list.dateFilter].includes("shows nothing");
  if (!isShown(list) && !plan.heard && !held.shown && !isCounted) return null;
  const isUnknown = !["Paid", "Unpaid", "Invalidated"].includes(held.status) && plan.later !== "reversed";
  if (isUnknown && !held.gone) return `its status is ${held.status}`;
  if (!isPaid(member)) return null;
  if (member.sent.length === 0) return "it is paid, and was never published";
  if (EDITS[plan.hole] !== undefined) return `the ${plan.hole} was edited`;
  if (!isHealed && HOLES[plan.hole] !== undefined) return `its ${plan.hole} was deleted`;
  const isToldOf = plan.told || !UNPAID.includes(plainLabel(member));
  if (plan.later === "amount changed" && isToldOf && plan.hole === "none")
    return `its amount is ${held.amount}, and ${member.sent.at(-1)} was published`;
  return null;
}

/** Whether the list can be read without any doubt, and so nothing excuses a refusal. */
const isHonest = (list: ListPlan, members: readonly Member[]): boolean =>
  isShown(list) &&
  list.statusFilter !== "ignored" &&
  members.every(({ plan, held }) => {
    const isKnown = ["Paid", "Unpaid", "Invalidated"].includes(held.status) && !held.gone;
    return plan.label === undefined && isKnown && !isDoubtful(plan.listDate);
  });

/** Judges one certificate of one source. @param isHealed a sweep has run since the holes were made. */
export function judge(
  said: Said,
  list: ListPlan,
  members: readonly Member[],
  window: Window,
  isHealed: boolean,
): Finding[] {
  const findings: Finding[] = [];
  const find = (kind: Finding["kind"], about: string) => void findings.push({ kind, about });
  const name = (member: Member) => `${member.held.id} (${describe(member)})`;
  if (said.result === "refused") {
    if (isHonest(list, members)) find("false refusal", said.refusals.join(" "));
    return findings;
  }
  if (said.result === "equal") {
    for (const member of members) {
      const why = isWithin(member, window) === true ? mustBeRed(member, list, isHealed) : null;
      if (why !== null) find("false green", `${why}: ${name(member)}`);
    }
    const counting = members.filter((one) => isPaid(one) && isLive(one));
    const surely = counting.filter((one) => isWithin(one, window) === true && !isPassedOver(one)).length;
    const most = counting.filter((one) => isWithin(one, window) !== false).length;
    const { count } = said.total.paid;
    const isSure = isShown(list) && members.every(({ held }) => held.status !== "Reversed");
    if (isSure && (count < surely || count > most))
      find("wrong count", `${count} payments, where ${surely} to ${most} belong to the period`);
    return findings;
  }
  const wrong = said.differences.filter(({ weight }) => weight !== "note");
  if (wrong.length === 0) find("false red", "it names no difference");
  const byId = new Map(members.map((member) => [member.held.id, member]));
  for (const { invoiceId, reason, detail } of wrong) {
    const member = byId.get(invoiceId ?? "");
    if (member === undefined) {
      const isExcused =
        reason === "acceptance_without_event" && members.some(({ plan }) => plan.hole === "event");
      if (!isExcused) find("false red", `${reason}: ${detail}`);
      continue;
    }
    // What a list never shows no sweep can heal.
    const reasons = allowed(member, isHealed && isShown(list));
    if (reasons !== "any" && !reasons.includes(reason))
      find("false red", `${reason} (${detail}): ${name(member)}`);
  }
  return findings;
}

/** What a sweep should have found and published by now. */
export const unhealed = (list: ListPlan, members: readonly Member[]): Finding[] =>
  members
    .filter((one) => isPaid(one) && isLive(one) && one.sent.length === 0 && !isPassedOver(one))
    .filter(({ plan }) => isShown(list) || plan.heard)
    .map((member) => ({
      kind: "unhealed",
      about: `paid, listed, and never published: ${member.held.id} (${describe(member)})`,
    }));

const describe = ({ plan, held }: Member): string => {
  const { heard, later, told, hole } = plan;
  const { status, label, listDate, answerDate, type } = held;
  const created = held.createdAt.toISOString();
  return JSON.stringify({ status, label, type, created, listDate, answerDate, heard, later, told, hole });
};
