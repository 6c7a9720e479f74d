import { z } from "zod";
import { anyUuid } from "../../platform/config/index.ts";
import { DAY_MS } from "../../platform/values/index.ts";
import { type OperationName, operations } from "../../provider/index.ts";
import { API_ANSWERS } from "./answers.ts";

const operationNames = Object.keys(operations) as [OperationName, ...OperationName[]];

const apiFault = z.strictObject({
  /** The operations that it strikes; all when left out. */
  operations: z.array(z.enum(operationNames)).min(1).optional(),
  /** The invoices or collections that it strikes, by the id in the path; all when left out. */
  ids: z.array(anyUuid).min(1).optional(),
  answer: z.enum(API_ANSWERS),
  /** The operation is carried out all the same, only its answer is lost. */
  afterWork: z.boolean().default(false),
  delayMs: z.int().min(0).max(DAY_MS).default(0),
  /** How often it strikes; for ever when left out. */
  times: z.int().min(1).optional(),
});

/** Faults of the API on request: the first that matches a request strikes. `{}` ends them. */
export const faultsSchema = z.strictObject({ api: z.array(apiFault).default([]) });

/** The faults in force, and what is left of those that strike a number of times. */
export class FaultBox {
  #faults: (z.output<typeof apiFault> & { left: number })[] = [];

  replace({ api }: z.output<typeof faultsSchema>): void {
    this.#faults = api.map((fault) => ({ ...fault, left: fault.times ?? Number.POSITIVE_INFINITY }));
  }

  /** The fault that strikes, counted as having struck. @param id the id in the path, in lower case. */
  strike(operation: OperationName, id: string | undefined) {
    const struck = this.#faults.find(
      ({ left, operations, ids }) =>
        left > 0 && (operations?.includes(operation) ?? true) && (ids?.some((one) => one === id) ?? true),
    );
    if (struck !== undefined) struck.left -= 1;
    return struck;
  }
}
