import { invoiceFilter } from "../../../collection-api/contract/index.ts";
import { isUuid } from "../../../kit/ids.ts";
import type { Faults } from "../faults/faults.ts";

/** What the provider's own SDK asks of a list beside the specification. */
export interface ExtraQuery {
  readonly linkedAccountId: string | null;
  readonly isDownloading: boolean;
}

export const NO_EXTRA: ExtraQuery = { linkedAccountId: null, isDownloading: false };

const FILTER_NAMES = Object.keys(invoiceFilter.shape);
const EXTRA_NAMES = ["linkedAccountId", "isDownloading"] as const;
/**
 * The query by its documented names, compared without case, since the provider's own SDK writes `InvoiceType`
 * (interface, part B); empty values count as left out. What is wrong goes to `problems`.
 */
export function readQuery(
  url: string,
  freedoms: Faults["list"],
  problems: string[],
): { query: Record<string, string>; extra: ExtraQuery } {
  const query: Record<string, string> = {};
  const given: Partial<Record<(typeof EXTRA_NAMES)[number], string>> = {};
  const seen = new Set<string>();
  const start = url.indexOf("?");
  for (const [written, value] of new URLSearchParams(start < 0 ? "" : url.slice(start + 1))) {
    const same = (name: string) => name.toLowerCase() === written.toLowerCase();
    const extra = EXTRA_NAMES.find(same);
    const name = FILTER_NAMES.find(same) ?? extra;
    const isRefused = name === undefined ? freedoms.unknownFilters : extra && freedoms[extra];
    if (isRefused === "refused")
      problems.push(`${shown(written)} is not taken: the list takes ${FILTER_NAMES.join(", ")}`);
    if (name === undefined || isRefused === "refused" || isRefused === "ignored" || value === "") continue;
    if (seen.has(name)) problems.push(`${name} is given more than once`);
    seen.add(name);
    if (extra === undefined) query[name] = value;
    else given[extra] = value;
  }
  return { query, extra: readExtra(given, problems) };
}

function readExtra(
  given: { linkedAccountId?: string; isDownloading?: string },
  problems: string[],
): ExtraQuery {
  const { linkedAccountId, isDownloading = "false" } = given;
  if (linkedAccountId !== undefined && !isUuid(linkedAccountId))
    problems.push("linkedAccountId should be a UUID such as 0f3a1c52-9c1b-4a53-8f0e-6d2b7a4c9e10");
  if (!/^(true|false)$/i.test(isDownloading)) problems.push("isDownloading should be true or false");
  return {
    linkedAccountId: linkedAccountId?.toLowerCase() ?? null,
    isDownloading: isDownloading.toLowerCase() === "true",
  };
}

/** A name that a stranger chose, as it may stand in an answer. */
const shown = (name: string) => (/^[\w.[\]-]{1,50}$/.test(name) ? name : "A parameter of the query");
