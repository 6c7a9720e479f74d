import { z } from "zod";
import { anyUuid } from "../../../kit/setting-formats.ts";
import { times } from "./when.ts";

const hostile = <Kind extends string, More extends z.ZodRawShape>(kind: Kind, more: More) =>
  z.strictObject({
    kind: z.literal(kind),
    pages: z
      .array(z.int().min(1))
      .min(1)
      .max(1_000)
      .optional()
      .describe("The pages that it strikes; all when left out."),
    times,
    ...more,
  });

const count = z.int().min(1).max(1_000).default(1);

const kinds = [
  hostile("short", {
    count: count.describe("So many items are missing at the page's end; the rest is as it was."),
  }),
  hostile("empty", {}),
  hostile("hidden", {
    invoiceIds: z
      .array(anyUuid)
      .min(1)
      .max(1_000)
      .describe("These invoices are in no page and no count, so that nothing contradicts itself."),
  }),
  hostile("undated", {}),
  hostile("misdated", {
    datePaid: z.string().max(100).default("2099-01-01T00:00:00.000Z").describe("What every item says."),
  }),
  hostile("mistyped", {}),
  hostile("statusless", {}),
  hostile("unusable-ids", {
    count: count.describe("So many items at the page's top have an id that is none."),
  }),
  hostile("reordered", {}),
  hostile("shifting", {}),
  hostile("filter-ignored", {
    filters: z
      .array(z.enum(["invoiceStatus", "invoiceType", "dates", "search"]))
      .min(1)
      .default(["invoiceStatus", "invoiceType", "dates", "search"])
      .describe("What is asked for, and not looked at."),
  }),
  hostile("pages-repeated", {
    page: z.int().min(1).default(1).describe("The page whose items every page holds."),
  }),
  hostile("wrong-total", { by: z.int().min(-1_000_000).max(1_000_000).default(1) }),
  hostile("without-total", {}),
  hostile("wrong-flags", {}),
  hostile("without-flags", {}),
] as const;

export const HOSTILE_LISTS = kinds.map((kind) => kind.shape.kind.value);

/** What a list may do to its reader. Several may strike one page, in this order of the request's array. */
export const hostileList = z.discriminatedUnion("kind", kinds, {
  error: ({ code }) =>
    code === "invalid_union" ? `should be one of ${HOSTILE_LISTS.join(", ")}` : undefined,
});

export type HostileList = z.output<typeof hostileList>;
