import { z } from "zod";
import { anyUuid } from "../../platform/config/index.ts";
import { RelayError } from "../../platform/errors/index.ts";
import { ownWords, problemsOf } from "../../platform/validation/index.ts";
import { DAY_MS, jsonIn } from "../../platform/values/index.ts";
import { type OperationName, operations } from "../../provider/index.ts";
import { API_ANSWERS } from "./answers.ts";
import { CALLBACK_VARIANTS, type CallbackVariant } from "./callback-request.ts";

const operationNames = Object.keys(operations) as [OperationName, ...OperationName[]];

export const whole = (least: number, most: number) => z.int().min(least).max(most);

/** The first is what this service does by itself. */
export const choice = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z.enum(words).default(words[0]);

/** A time span in ms, at most 24 days: a longer timer of Node's rings at once. */
const duration = whole(0, 24 * DAY_MS).default(0);

export const callbackFaults = z.strictObject({
  delayMs: duration.describe("Callbacks leave so much later than the payment."),
  copies: whole(1, 20).default(1).describe("How often each callback is sent."),
  never: z.boolean().default(false).describe("Callbacks are queued, logged as withheld, and never sent."),
  variants: z
    .array(z.enum(CALLBACK_VARIANTS))
    .min(1)
    .default(["documented"])
    .describe("The shapes of the callbacks, one after the other."),
  paymentReadableAfterMs: duration.describe(
    "The callback is sent at once, but the API shows the payment only so much later.",
  ),
  paymentHiddenAs: choice("Unpaid", "missing").describe(
    "The API's answer until then: the invoice unpaid, or no invoice at all (404).",
  ),
});

export type CallbackFaults = z.output<typeof callbackFaults>;
export type CallbackFaultsInput = z.input<typeof callbackFaults>;

const apiFault = z.strictObject({
  operations: z
    .array(z.enum(operationNames))
    .min(1)
    .optional()
    .describe("The operations that it strikes; all when left out."),
  ids: z
    .array(anyUuid)
    .min(1)
    .max(10_000)
    .optional()
    .describe("The invoices or collections that it strikes, by the id in the path; all when left out."),
  answer: z
    .enum(API_ANSWERS)
    .default("normal")
    .describe("The answer instead; `normal` is for faults that only delay."),
  delayMs: duration.describe("The answer comes so much later."),
  retryAfterSeconds: whole(0, 86_400).default(1).describe("The Retry-After of a 429, in seconds."),
  afterWork: z
    .boolean()
    .default(false)
    .describe("The operation is carried out all the same, only the answer is lost."),
  times: whole(1, 1_000_000).optional().describe("How often it strikes; until reset when left out."),
});

type ApiFault = z.output<typeof apiFault>;

/** Faults on request. `{}` is this service without any. */
export const faultsSchema = z.strictObject({
  callback: callbackFaults.prefault({}),
  api: z.array(apiFault).max(100).default([]).describe("The first that matches a request strikes."),
});

export type FaultsInput = z.input<typeof faultsSchema>;
export type Faults = z.output<typeof faultsSchema>;

/** @throws RelayError that lists all that is wrong with it, with the field's name; no value is part of it. */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  origin: string,
): z.output<Schema> {
  const result = schema.safeParse(value, { error: ownWords });
  if (result.success) return result.data;
  const problems = problemsOf(result.error).map((problem) => `  ${problem}`);
  throw new RelayError(`${origin} needs attention:\n${problems.join("\n")}`);
}

/**
 * Reads the setting COLLECTION_SERVICE_FAULTS: JSON as `PUT /_control/faults` takes it, such as
 * `{"callback":{"copies":2}}`. Left out or empty: no faults.
 * @throws RelayError that lists all that is wrong with it.
 */
export function parseFaults(text: string | undefined): FaultsInput {
  if (text === undefined || text.trim() === "") return {};
  const value = jsonIn(text);
  if (value === undefined)
    throw new RelayError(`COLLECTION_SERVICE_FAULTS should be JSON such as {"callback":{"copies":2}}.`);
  checked(faultsSchema, value, "COLLECTION_SERVICE_FAULTS");
  // The value as given, not as read: the seed fills the missing fields here.
  return value as FaultsInput;
}

/** The faults in force, and what is left of those that strike a number of times. */
export class FaultBox {
  readonly #seed: FaultsInput;
  #faults: Faults;
  #apiLeft: number[] = [];
  #nextVariant: () => CallbackVariant = () => "documented";

  /** @param seed the faults in force where no others are requested. */
  constructor(seed: FaultsInput, faults: FaultsInput) {
    this.#seed = seed;
    this.#faults = this.replace(faults);
  }

  get current(): Faults {
    return this.#faults;
  }

  /** Replaces all faults that were in force; their missing fields are the seed's. */
  replace(faults: FaultsInput): Faults {
    this.#faults = faultsSchema.parse(layered(this.#seed, faults));
    this.#apiLeft = this.#faults.api.map((fault) => fault.times ?? Number.POSITIVE_INFINITY);
    this.#nextVariant = variantsInTurn(this.#faults.callback.variants);
    return this.#faults;
  }

  /** The fault that strikes, counted as having struck. @param id the id in the path, in lower case. */
  strike(operation: OperationName, id: string | undefined): ApiFault | undefined {
    const index = this.#faults.api.findIndex(
      (fault, at) =>
        (this.#apiLeft[at] ?? 0) > 0 &&
        (fault.operations?.includes(operation) ?? true) &&
        (fault.ids?.some((one) => one === id) ?? true),
    );
    if (index < 0) return undefined;
    this.#apiLeft[index] = (this.#apiLeft[index] ?? 0) - 1;
    return this.#faults.api[index];
  }

  nextVariant(): CallbackVariant {
    return this.#nextVariant();
  }
}

type Layer = Readonly<Record<string, unknown>>;

const isLayer = (value: unknown): value is Layer =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** `over` on top of `under`, field by field, however deep; a list is one value. */
export function layered(under: object, over: object): object {
  const fields = Object.entries(over).map(([name, value]) => {
    const below = (under as Layer)[name];
    return [name, isLayer(value) && isLayer(below) ? layered(below, value) : value];
  });
  return { ...under, ...Object.fromEntries(fields) };
}

/** The variants one after the other, and again from the first. */
export function variantsInTurn(variants: readonly CallbackVariant[]): () => CallbackVariant {
  let nth = 0;
  return () => variants[nth++ % variants.length] ?? "documented";
}
