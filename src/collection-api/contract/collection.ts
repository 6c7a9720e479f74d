import { z } from "zod";
import { compareMoney, moneyRead, moneyWritten } from "./money.ts";
import { text, utcTime, uuid } from "./strict-fields.ts";
import { idRead, listRead, numberRead, objectRead, textRead, timeRead } from "./tolerant-fields.ts";

/** A collection as the client reads it: nothing but its id has to be there, unknown fields are kept. */
export const collectionRead = z.looseObject({
  id: idRead,
  collectionName: textRead,
  description: textRead,
  invoiceExpirationPeriod: textRead,
  paymentChannels: listRead(textRead, []),
  settlementFrequency: textRead,
  serviceFeeBilling: textRead,
  /** The fixed amount; null when each invoice brings its own, for which providers say 0 or null. */
  amount: moneyRead.transform((amount) =>
    amount === null || compareMoney(amount, "0") === 0 ? null : amount,
  ),
  dateCreated: timeRead,
  status: textRead,
  collectionCategory: objectRead({ id: textRead, name: textRead }),
  collectionAccounts: listRead(
    z.looseObject({
      percentage: numberRead,
      linkedAccount: objectRead({
        id: textRead,
        accountName: textRead,
        accountNumber: textRead,
        bank: objectRead({ id: textRead, name: textRead, code: textRead, logo: textRead }),
      }),
    }),
    [],
  ),
});

export type Collection = z.output<typeof collectionRead>;

/** A collection as the service writes it (interface, parts A and B). */
export const collectionWritten = z
  .object({
    id: uuid,
    collectionName: z.string(),
    description: z.string().nullable(),
    invoiceExpirationPeriod: z.string().meta({ examples: ["OneDay"] }),
    paymentChannels: z.array(z.enum(["Card", "BankTransfer", "BankBranch", "USSD"])),
    settlementFrequency: z.enum(["Daily", "Instant"]),
    serviceFeeBilling: z.enum(["Payer", "Merchant"]),
    amount: moneyWritten.describe("The fixed amount; 0 when each invoice brings its own."),
    dateCreated: utcTime,
    status: z.enum(["Active", "Pending", "Disabled", "Suspended", "Blocked"]),
    collectionCategory: z.object({ id: uuid, name: z.string() }),
    collectionAccounts: z.array(
      z.object({
        percentage: z.number().min(0).max(100),
        linkedAccount: z.object({
          id: uuid,
          accountName: z.string(),
          accountNumber: z.string(),
          bank: z.object({
            id: uuid,
            name: z.string(),
            code: z.string(),
            logo: z.string().meta({ format: "uri" }),
          }),
        }),
      }),
    ),
  })
  .meta({ id: "Collection", description: "What invoices are collected for, and how they settle." });

export type CollectionWritten = z.input<typeof collectionWritten>;

const bankRead = z.looseObject({
  /** The number that Add Linked Account takes as `bankId`. */
  id: numberRead.refine((id): id is number => Number.isSafeInteger(id), "should be a whole number"),
  name: textRead,
  code: textRead,
  logo: textRead,
});

/** Get Banks as the client reads it: a list, bare or as the items of a page (interface: shape not specified). */
export const banksRead = z.preprocess(
  (data) => (typeof data === "object" && data !== null && "items" in data ? data.items : data),
  z.array(bankRead),
);

export type Bank = z.output<typeof bankRead>;

/** Get Banks as the service writes it. */
export const banksWritten = z.array(
  z
    .object({
      id: z.int().min(1).describe("The number that Add Linked Account takes as bankId."),
      name: z.string(),
      code: z.string().describe("The clearing code."),
      logo: z.string().nullable(),
    })
    .meta({ id: "Bank" }),
);

export type BanksWritten = z.input<typeof banksWritten>;

/** What Add Linked Account takes (interface, part A); `bankId` is a bank's number from Get Banks. */
export const addLinkedAccountRequest = z
  .object(
    {
      linkedAccount: z.object(
        {
          bankId: z
            .int("should be a whole number: the bank's id from Get Banks, not its clearing code or UUID")
            .min(1, "should be more than 0")
            .max(2_147_483_647, "should be at most 2147483647"),
          accountNumber: text(20).regex(/^\d{6,20}$/, "should be 6 to 20 digits"),
          isPrimary: z.boolean("should be true or false").default(false),
        },
        "should be an object with bankId, accountNumber and isPrimary",
      ),
    },
    "should be a JSON object",
  )
  .meta({ id: "AddLinkedAccountRequest" });

export type AddLinkedAccountInput = z.input<typeof addLinkedAccountRequest>;
