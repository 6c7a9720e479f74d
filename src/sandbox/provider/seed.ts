import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { z } from "zod";
import { anyUuid } from "../../platform/config/index.ts";
import { messageOf, RelayError } from "../../platform/errors/index.ts";
import { ownWords, problemsOf } from "../../platform/validation/index.ts";
import { moneyGiven } from "../../provider/index.ts";

const HOUR_MS = 3_600_000;

/** The periods that a collection's invoices may stay payable (interface, parts A and B), in ms. */
const PERIODS = {
  OneHour: HOUR_MS,
  OneDay: 24 * HOUR_MS,
  TwoDays: 48 * HOUR_MS,
} as const;

type ExpirationPeriod = keyof typeof PERIODS;

const EXPIRATION_PERIODS = Object.keys(PERIODS) as [ExpirationPeriod, ...ExpirationPeriod[]];

/** How long an invoice stays payable after its creation, in ms. An unknown period counts as a day. */
export function lifetimeMs(period: string): number {
  return Object.hasOwn(PERIODS, period) ? PERIODS[period as ExpirationPeriod] : PERIODS.OneDay;
}

const name = z.string().min(1).max(200);
const percent = z.string().regex(/^\d{1,3}(\.\d{1,4})?$/, "should be a percentage such as 1.5, as text");
const amount = z.string().regex(/^\d{1,12}(\.\d{1,2})?$/, "should be an amount such as 100.00, as text");

/** How the service fee is worked out. */
const feeTerms = z.strictObject({
  /** Of the amount. */
  percent,
  /** Added to that. */
  flat: amount.default("0.00"),
  /** The most that the fee may be. */
  cap: amount.nullable().default(null),
  /** VAT on the fee. */
  vatPercent: percent,
});

export type FeeTerms = z.output<typeof feeTerms>;

const biller = z.strictObject({
  name,
  address: z.string().max(300).nullable().default(null),
  email: z.string().max(254).nullable().default(null),
});

const seedSchema = z.strictObject({
  $comment: z.string().optional(),
  biller,
  fee: feeTerms,
  apiKeys: z
    .array(
      z.strictObject({
        name,
        type: z.enum(["Live", "Test"]),
        key: z.string().regex(/^\S{24,200}$/, "should be 24 to 200 characters without spaces"),
      }),
    )
    .min(1),
  banks: z.array(
    z.strictObject({ bankId: z.int().min(1), id: anyUuid, name, code: name, logo: z.url().max(500) }),
  ),
  linkedAccounts: z.array(
    z.strictObject({
      id: anyUuid,
      bankId: z.int().min(1),
      accountName: name,
      accountNumber: z.string().regex(/^\d{6,20}$/, "should be 6 to 20 digits"),
      isPrimary: z.boolean().default(false),
      status: z.enum(["Pending", "Approved"]).default("Approved"),
    }),
  ),
  collections: z.array(
    z.strictObject({
      id: anyUuid,
      collectionName: name,
      description: z.string().max(1_000).nullable().default(null),
      invoiceExpirationPeriod: z.enum(EXPIRATION_PERIODS).default("OneDay"),
      paymentChannels: z.array(z.enum(["Card", "BankTransfer", "USSD", "BankBranch"])).min(1),
      settlementFrequency: z.enum(["Daily", "Instant"]).default("Instant"),
      serviceFeeBilling: z.enum(["Payer", "Merchant"]).default("Payer"),
      amount: moneyGiven.nullable().default(null),
      dateCreated: z.iso.datetime(),
      status: z.enum(["Active", "Pending", "Disabled", "Suspended", "Blocked"]).default("Active"),
      collectionCategory: z.strictObject({ id: anyUuid, name }).nullable().default(null),
      collectionAccounts: z
        .array(z.strictObject({ linkedAccountId: anyUuid, percentage: z.number().min(0).max(100) }))
        .default([]),
    }),
  ),
});

/** As it is written in a file. */
export type SeedInput = z.input<typeof seedSchema>;
/** Keys, banks, accounts and collections that the service starts with. */
export type Seed = z.output<typeof seedSchema>;

/** The seed that comes with the service. */
const DEFAULT_SEED_FILE = resolve(import.meta.dirname, "seed.json");

/** @throws RelayError that lists all that is wrong with the seed; no key is part of it. */
export function parseSeed(value: unknown, origin = "The seed"): Seed {
  const result = seedSchema.safeParse(value, { error: ownWords });
  if (result.success) return result.data;
  const problems = problemsOf(result.error).map((problem) => `  ${problem}`);
  throw new RelayError(`${origin} needs attention:\n${problems.join("\n")}`);
}

/** @throws RelayError when the file cannot be read, is no JSON, or describes no seed. */
export async function readSeed(file: string = DEFAULT_SEED_FILE): Promise<Seed> {
  try {
    return parseSeed(JSON.parse(await readFile(file, "utf8")), `The seed file ${file}`);
  } catch (cause) {
    if (cause instanceof RelayError) throw cause;
    throw new RelayError(`The seed file ${file} cannot be read: ${messageOf(cause)}`, { cause });
  }
}
