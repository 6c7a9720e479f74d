import { z } from "zod";
import { moneyGiven, moneyOnWire } from "./money.ts";
import { email, isCleanText, optional, phone, text, uuid, webAddress } from "./strict-fields.ts";

const metadata = z.preprocess(
  (map, context) => {
    // JSON may hold that name; most programs lose it on the way, so it is refused.
    if (typeof map === "object" && map !== null && Object.hasOwn(map, "__proto__"))
      context.addIssue("should have no entry named __proto__");
    return map;
  },
  z
    .record(
      z
        .string()
        .min(1, "should have no empty name")
        .max(100, "should have names of at most 100 characters")
        .refine(isCleanText, "should have no control characters in its names"),
      text(1_000),
      "should be a map of text to text",
    )
    .refine((map) => Object.keys(map).length <= 50, "should have at most 50 entries"),
);

const beneficiary = z.object(
  { linkedAccountId: uuid, amount: moneyGiven },
  "should be an object with linkedAccountId and amount",
);

/** The request of Create Invoice. The service decides whether it needs `amount` and beneficiaries (part B). */
export const createInvoiceRequest = z
  .object(
    {
      collectionId: uuid,
      title: text(200),
      payerName: text(200),
      payerEmail: email,
      payerPhoneNumber: optional(phone),
      billerMetaData: metadata.nullish().transform((map) => map ?? {}),
      amount: moneyGiven.nullish().transform((amount) => amount ?? null),
      callBackUrl: optional(webAddress),
      invoiceBeneficiaries: z
        .array(beneficiary, "should be a list")
        .max(100, "should have at most 100 entries")
        .nullish()
        .transform((beneficiaries) => beneficiaries ?? null),
    },
    "should be a JSON object",
  )
  .meta({ id: "CreateInvoiceRequest" });

/** In: amounts as decimal strings such as `1500.50` (or exact numbers); what is optional may be left out. */
export type CreateInvoiceInput = z.input<typeof createInvoiceRequest>;
/** Out: ids in lower case, amounts as decimal strings, what was left out is null. */
export type CreateInvoiceRequest = z.output<typeof createInvoiceRequest>;

/** The body as it goes over the wire: amounts as JSON numbers, what is null left out. */
export function createInvoiceBody(request: CreateInvoiceRequest): unknown {
  const { amount, invoiceBeneficiaries, ...rest } = request;
  const body = {
    ...rest,
    amount: amount === null ? null : moneyOnWire(amount),
    invoiceBeneficiaries: invoiceBeneficiaries?.map((beneficiary) => ({
      ...beneficiary,
      amount: moneyOnWire(beneficiary.amount),
    })),
  };
  return Object.fromEntries(
    Object.entries(body).filter(([, value]) => value !== null && value !== undefined),
  );
}
