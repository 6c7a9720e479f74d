import { type CreateInvoiceRequest, compareMoney, sumOfMoney } from "../../collection-api/contract/index.ts";
import type { Faults } from "./faults/faults.ts";

interface CreateTerms {
  /** The collection's fixed amount, a decimal string; null when each invoice brings its own. */
  readonly fixedAmount: string | null;
  readonly hasOwnSplit: boolean;
  /** The states of those named beneficiaries that exist, by linked account id. */
  readonly accountStates: ReadonlyMap<string, "Pending" | "Approved">;
  /** The merchant's own account; null where none is linked. */
  readonly ownAccountId: string | null;
  readonly freedoms: CreateFreedoms;
}

/** What the interface leaves open and a provider may see otherwise. */
export type CreateFreedoms = Omit<Faults["create"] & Faults["limits"], "idempotencyHeader">;

export type CreateVerdict =
  | { verdict: "allowed"; amount: string }
  /** The request does not fit the collection; each problem starts with the field's name. */
  | { verdict: "invalid"; problems: string[] }
  /** It fits, but a rule of business is against it. */
  | { verdict: "refused"; problems: string[] };

/**
 * What only the collection can say about a new invoice (interface, part B): `amount` is required when the
 * collection has no fixed amount and refused when it has one, beneficiaries likewise; and they sum to the
 * amount.
 */
export function judgeCreate(request: CreateInvoiceRequest, terms: CreateTerms): CreateVerdict {
  const problems: string[] = [];
  const { freedoms } = terms;
  const beneficiaries = request.invoiceBeneficiaries?.length === 0 ? null : request.invoiceBeneficiaries;
  const amount = terms.fixedAmount ?? request.amount;

  if (terms.fixedAmount !== null && request.amount !== null)
    problems.push("amount should be left out: the collection has a fixed amount");
  if (amount === null) problems.push("amount is missing: the collection has no fixed amount");

  if (terms.hasOwnSplit && beneficiaries !== null)
    problems.push("invoiceBeneficiaries should be left out: the collection has its own accounts");
  if (!terms.hasOwnSplit && beneficiaries === null)
    problems.push("invoiceBeneficiaries is missing: the collection has no accounts of its own");

  const ids = beneficiaries?.map((beneficiary) => beneficiary.linkedAccountId) ?? [];
  const field = (index: number) => `invoiceBeneficiaries[${index}].linkedAccountId`;
  ids.forEach((id, index) => {
    if (!terms.accountStates.has(id)) problems.push(`${field(index)} names no linked account`);
    else if (ids.indexOf(id) !== index) problems.push(`${field(index)} is named twice`);
  });

  if (freedoms.owner === "required" && beneficiaries !== null && !ids.includes(terms.ownAccountId ?? ""))
    problems.push("invoiceBeneficiaries should name the merchant's own account too");
  problems.push(...outOfBounds(request.title, amount, freedoms));

  if (beneficiaries !== null && amount !== null && freedoms.beneficiariesSum === "checked") {
    const sum = sumOfMoney(beneficiaries.map((beneficiary) => beneficiary.amount));
    if (compareMoney(sum, amount) !== 0)
      problems.push(`invoiceBeneficiaries should sum to the amount ${amount}, but sum to ${sum}`);
  }
  if (problems.length > 0 || amount === null) return { verdict: "invalid", problems };

  const pending = ids.flatMap((id, index) =>
    terms.accountStates.get(id) === "Pending" ? [`${field(index)} is not approved yet`] : [],
  );
  return pending.length > 0 ? { verdict: "refused", problems: pending } : { verdict: "allowed", amount };
}

function outOfBounds(title: string, amount: string | null, freedoms: CreateFreedoms): string[] {
  const { titleLength, leastAmount, mostAmount } = freedoms;
  const problems: string[] = [];
  if (title.length > titleLength) problems.push(`title should have at most ${titleLength} characters`);
  if (amount !== null && compareMoney(amount, String(leastAmount)) < 0)
    problems.push(`amount should be at least ${leastAmount}`);
  if (amount !== null && mostAmount !== null && compareMoney(amount, String(mostAmount)) > 0)
    problems.push(`amount should be at most ${mostAmount}`);
  return problems;
}
