import { isRawJson } from "../../../collection-api/contract/index.ts";
import type { HostileList } from "./list-faults.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A page as it is about to go out. */
export interface PageOnWire {
  readonly items: readonly Fields[];
  readonly page: number;
  readonly totalCount: number;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/**
 * The page as hostile lists leave it, one after the other. Pure; what is done to the query is none of its
 * business.
 */
export function spoilPage(page: PageOnWire, faults: readonly HostileList[]): Fields {
  return faults.reduce<Fields>((so, fault) => spoil(so as unknown as PageOnWire, fault), { ...page });
}

function spoil(page: PageOnWire, fault: HostileList): Fields {
  const { items } = page;
  const each = (change: (item: Fields, nth: number) => Fields) => ({ ...page, items: items.map(change) });
  switch (fault.kind) {
    case "short":
      return { ...page, items: items.slice(0, Math.max(0, items.length - fault.count)) };
    case "empty":
      return { ...page, items: [] };
    case "undated":
      return each((item) => ({ ...item, dateCreated: null, datePaid: null }));
    case "misdated":
      return each((item) => ({ ...item, datePaid: fault.datePaid }));
    case "mistyped":
      return { ...mapped(page, asText), items: items.map((item) => mapped(item, mistyped)) };
    case "statusless":
      return each(({ status: _, ...rest }) => rest);
    case "unusable-ids":
      return each((item, nth) => (nth < fault.count ? { ...item, id: "n/a" } : item));
    case "wrong-total":
      return { ...page, totalCount: page.totalCount + fault.by };
    case "without-total":
      return without(page, "totalCount");
    case "wrong-flags":
      return { ...page, hasNextPage: !page.hasNextPage, hasPreviousPage: !page.hasPreviousPage };
    case "without-flags":
      return without(page, "hasNextPage", "hasPreviousPage");
    default:
      return { ...page };
  }
}

const mapped = (fields: object, change: (value: unknown) => unknown): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, change(value)]));

const without = (fields: object, ...names: string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

/** Numbers and flags as text. */
const asText = (value: unknown): unknown => {
  if (isRawJson(value)) return value.rawJSON;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
};

/** Numbers as text, times as numbers. */
const mistyped = (value: unknown): unknown =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) ? Date.parse(value) : asText(value);
