import type { HostileList } from "./list-faults.ts";

type Filter = "invoiceStatus" | "invoiceType" | "dates" | "search";

/** What hostile lists do before the page is read; the rest is `spoilPage`'s. */
export interface StruckQuery {
  /** What is asked for and not looked at. */
  readonly ignored: ReadonlySet<Filter>;
  readonly hiddenIds: readonly string[];
  readonly reordered: boolean;
  /** An invoice is created before the page is read. */
  readonly shifting: boolean;
  /** Whose items are answered, instead of the page's that was asked for. */
  readonly page: number | undefined;
}

export function readHostileList(faults: readonly HostileList[]): StruckQuery {
  return {
    ignored: new Set(faults.flatMap((fault) => (fault.kind === "filter-ignored" ? fault.filters : []))),
    hiddenIds: faults.flatMap((fault) => (fault.kind === "hidden" ? fault.invoiceIds : [])),
    reordered: faults.some((fault) => fault.kind === "reordered"),
    shifting: faults.some((fault) => fault.kind === "shifting"),
    page: faults.find((fault) => fault.kind === "pages-repeated")?.page,
  };
}
