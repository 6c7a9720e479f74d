import { z } from "zod";
import { type OperationName, operations, PAGE_SIZE_LIMIT } from "../../../collection-api/contract/index.ts";

export const operationNames = Object.keys(operations) as [OperationName, ...OperationName[]];

// What the specification leaves open and a real provider may do otherwise. The defaults are this service's
// own ways.

export const whole = (least: number, most: number) => z.int().min(least).max(most);

/** The first is what this service does by itself. */
export const choice = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z.enum(words).default(words[0]);

export const listFreedoms = z.strictObject({
  datesMean: choice("creation", "payment").describe("What startDate and endDate of the list select by."),
  includesTest: z.boolean().default(true).describe("Whether a list without invoiceType holds Test invoices."),
  order: choice("newest-first", "oldest-first", "by-id"),
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
  unknownPath: choice("envelope", "bare-404", "html-404", "json-404").describe(
    "What an address answers that nobody serves, such as those below a wrong base URL.",
  ),
});

const pageSize = whole(1, PAGE_SIZE_LIMIT);

export const limitFreedoms = z.strictObject({
  pageSize: pageSize.default(20).describe("The page's size where none is asked for."),
  mostPageSize: pageSize.default(PAGE_SIZE_LIMIT),
  pageSizeOver: choice("refused", "capped").describe(
    "Whether more than mostPageSize is a 400, or silently mostPageSize.",
  ),
});
