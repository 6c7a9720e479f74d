import { z } from "zod";
import { type OperationName, operations, PAGE_SIZE_LIMIT } from "../../../collection-api/contract/index.ts";

export const operationNames = Object.keys(operations) as [OperationName, ...OperationName[]];

// What the specification leaves open and a real provider may do otherwise. The defaults are this service's
// own ways.

export const whole = (least: number, most: number) => z.int().min(least).max(most);

/** The first is what this service does by itself. */
export const choice = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z.enum(words).default(words[0]);

/** What becomes of a query parameter that the provider's SDK sends and the specification does not name. */
const understood = choice("understood", "refused", "ignored");

export const listFreedoms = z.strictObject({
  datesMean: choice("creation", "payment").describe("What startDate and endDate of the list select by."),
  includesTest: z.boolean().default(true).describe("Whether a list without invoiceType holds Test invoices."),
  order: choice("newest-first", "oldest-first", "by-id"),
  linkedAccountId: understood.describe("Selects the invoices that this account has a share in."),
  isDownloading: understood.describe("`IsDownloading=true` asks for all invoices at once, without pages."),
  unknownFilters: choice("refused", "ignored").describe(
    "What becomes of a query parameter that nobody knows, such as a misspelt one.",
  ),
});

export const createFreedoms = z.strictObject({
  beneficiariesSum: choice("checked", "unchecked").describe(
    "Whether the beneficiaries' amounts have to sum to the invoice's.",
  ),
  owner: choice("optional", "required").describe(
    "Whether the merchant's own (primary) account has to be among the beneficiaries.",
  ),
  idempotencyHeader: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, "should be a header's name such as Idempotency-Key")
    .nullable()
    .default(null)
    .describe("A Create with a value of it that was seen before answers with the invoice made then."),
});

const path = z
  .string()
  .max(200)
  .regex(/^(\/([\w.~-]+|\{id\}))+$/, "should be a path such as /api/v1/invoices/{id}");

/** Takes the place of the contract's; the id stays where a path has one. */
const paths = z
  .strictObject(
    Object.fromEntries(operationNames.map((name) => [name, path.optional()])) as Record<
      OperationName,
      z.ZodOptional<typeof path>
    >,
  )
  .superRefine((given, context) => {
    for (const name of operationNames) {
      const ids = given[name]?.split("{id}").length ?? 0;
      if (ids > 0 && ids !== operations[name].path.split("{id}").length)
        context.addIssue({
          code: "custom",
          path: [name],
          message: operations[name].path.includes("{id}") ? "should hold {id} once" : "should hold no {id}",
        });
    }
  });

export const httpFreedoms = z.strictObject({
  paths: paths.prefault({}).describe("Operations at other paths than the contract's."),
  contentTypes: choice("any", "json").describe(
    "Whether a body under another Content-Type than application/json is refused (415).",
  ),
  unknownPath: choice("envelope", "bare-404", "html-404", "json-404").describe(
    "What an address answers that nobody serves, such as those below a wrong base URL.",
  ),
  requestsPerSecond: whole(1, 100_000)
    .nullable()
    .default(null)
    .describe("The most requests of one key in a second; more are answered 429."),
});

const pageSize = whole(1, PAGE_SIZE_LIMIT);

export const limitFreedoms = z.strictObject({
  pageSize: pageSize.default(20).describe("The page's size where none is asked for."),
  mostPageSize: pageSize.default(PAGE_SIZE_LIMIT),
  pageSizeOver: choice("refused", "capped").describe(
    "Whether more than mostPageSize is a 400, or silently mostPageSize.",
  ),
  bodyBytes: whole(100, 16_777_216).default(256 * 1_024),
  titleLength: whole(1, 200).default(200),
  leastAmount: z.number().min(0).default(0),
  mostAmount: z.number().gt(0).nullable().default(null),
});
