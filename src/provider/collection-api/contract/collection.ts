import { z } from "zod";
import { bothWays, id, oneOf, perhapsText, text, time } from "./both-ways.ts";
import { compareMoney, moneyRead, moneyWritten } from "./money.ts";
import { text as givenText, uuid } from "./strict-fields.ts";
import { listRead, numberRead, objectRead, textRead } from "./tolerant-fields.ts";

const named = bothWays({ id: [textRead, uuid], name: text });

const bankOfAccount = bothWays({
  id: [textRead, uuid],
  name: text,
  code: text,
  logo: [textRead, z.string().meta({ format: "uri" })],
});

const linkedAccount = bothWays({
  id: [textRead, uuid],
  accountName: text,
  accountNumber: text,
  bank: [objectRead(bankOfAccount.read), z.object(bankOfAccount.written)],
});

const account = bothWays({
  percentage: [numberRead, z.number().min(0).max(100)],
  linkedAccount: [objectRead(linkedAccount.read), z.object(linkedAccount.written)],
});

const collection = bothWays({
  id,
  collectionName: text,
  description: perhapsText,
  invoiceExpirationPeriod: [textRead, z.string().meta({ examples: ["OneDay"] })],
  paymentChannels: [listRead(textRead, []), z.array(z.enum(["Card", "BankTransfer", "BankBranch", "USSD"]))],
  settlementFrequency: oneOf("Daily", "Instant"),
  serviceFeeBilling: oneOf("Payer", "Merchant"),
  /** The fixed amount; null when each invoice brings its own, for which providers say 0 or null. */
  amount: [
    moneyRead.transform((amount) => (amount === null || compareMoney(amount, "0") === 0 ? null : amount)),
    moneyWritten.describe("The fixed amount; 0 when each invoice brings its own."),
  ],
  dateCreated: time,
  status: oneOf("Active", "Pending", "Disabled", "Suspended", "Blocked"),
  collectionCategory: [objectRead(named.read), z.object(named.written)],
  collectionAccounts: [listRead(z.looseObject(account.read), []), z.array(z.object(account.written))],
});

/** A collection as the client reads it: only its id is required, unknown fields are kept. */
export const collectionRead = z.looseObject(collection.read);

export type Collection = z.output<typeof collectionRead>;

/** A collection as the service writes it (interface, parts A and B). */
export const collectionWritten = z
  .object(collection.written)
  .meta({ id: "Collection", description: "The purpose of its invoices, and how they settle." });

export type CollectionWritten = z.input<typeof collectionWritten>;

const bank = bothWays({
  /** The number that Add Linked Account takes as `bankId`. */
  id: [
    numberRead.refine((number): number is number => Number.isSafeInteger(number), "should be a whole number"),
    z.int().min(1).describe("The number that Add Linked Account takes as bankId."),
  ],
  name: text,
  code: [textRead, z.string().describe("The clearing code.")],
  logo: perhapsText,
});

const bankRead = z.looseObject(bank.read);

/** Get Banks as the client reads it: a list, bare or as the items of a page (interface: shape not specified). */
export const banksRead = z.preprocess(
  (data) => (typeof data === "object" && data !== null && "items" in data ? data.items : data),
  z.array(bankRead),
);

export type Bank = z.output<typeof bankRead>;

/** Get Banks as the service writes it. */
export const banksWritten = z.array(z.object(bank.written).meta({ id: "Bank" }));

export type BanksWritten = z.input<typeof banksWritten>;

/** The request of Add Linked Account (interface, part A); `bankId` is a bank's number from Get Banks. */
export const addLinkedAccountRequest = z
  .object(
    {
      linkedAccount: z.object(
        {
          bankId: z
            .int("should be a whole number: the bank's id from Get Banks, not its clearing code or UUID")
            .min(1, "should be more than 0")
            .max(2_147_483_647, "should be at most 2147483647"),
          accountNumber: givenText(20).regex(/^\d{6,20}$/, "should be 6 to 20 digits"),
          isPrimary: z.boolean("should be true or false").default(false),
        },
        "should be an object with bankId, accountNumber and isPrimary",
      ),
    },
    "should be a JSON object",
  )
  .meta({ id: "AddLinkedAccountRequest" });

export type AddLinkedAccountInput = z.input<typeof addLinkedAccountRequest>;
