import { z } from "zod";
import { compareMoney, moneyRead, moneyWritten } from "./money.ts";
import { utcTime, uuid } from "./strict-fields.ts";
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
