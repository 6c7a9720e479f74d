import { isUuid } from "../kit/ids.ts";
import type { InvoiceTerms } from "../operate/invoice-terms.ts";

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const AMOUNT = /^\d{1,3}(,?\d{3}){0,6}(\.\d{1,10})?$/;

/**
 * What a text in the search box may mean, the likeliest first; the next one is tried when it finds nothing.
 * Pure.
 */
export function meantBy(text: string): InvoiceTerms[] {
  const typed = text.trim();
  if (typed === "") return [{}];
  if (isUuid(typed)) return [{ id: typed.toLowerCase() }];
  if (typed.includes("@")) return [{ email: typed }];
  if (DAY.test(typed) && !Number.isNaN(Date.parse(typed))) return [{ from: typed, to: typed }];
  if (AMOUNT.test(typed)) return [{ reference: typed }, { amount: typed.replaceAll(",", "") }];
  return [{ reference: typed }];
}
