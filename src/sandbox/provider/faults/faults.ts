import { z } from "zod";
import { ownWords, problemsOf } from "../../../collection-api/contract/index.ts";
import { RelayError } from "../../../kit/errors.ts";
import { apiFault } from "./api-faults.ts";
import { callbackFaults } from "./callback-faults.ts";
import { createFreedoms, httpFreedoms, limitFreedoms, listFreedoms } from "./freedoms.ts";

/**
 * What goes wrong on request, and what a real provider may do otherwise where the interface leaves it open.
 * Every field may be left out; `{}` is this service as it is by itself.
 */
export const faultsSchema = z.strictObject({
  callback: callbackFaults.prefault({}),
  api: z.array(apiFault).max(100).default([]).describe("The first that matches a request strikes."),
  list: listFreedoms.prefault({}),
  create: createFreedoms.prefault({}),
  http: httpFreedoms.prefault({}),
  limits: limitFreedoms.prefault({}),
});

export type FaultsInput = z.input<typeof faultsSchema>;
export type Faults = z.output<typeof faultsSchema>;

/**
 * Reads the setting COLLECTION_SERVICE_FAULTS: JSON as `PUT /_control/faults` takes it, such as
 * `{"callback":{"copies":2}}`. Left out or empty: no faults.
 * @throws RelayError that lists all that is wrong with it.
 */
export function parseFaults(text: string | undefined): FaultsInput {
  if (text === undefined || text.trim() === "") return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const message = `COLLECTION_SERVICE_FAULTS should be JSON such as {"callback":{"copies":2}}.`;
    throw new RelayError(message, { cause });
  }
  const result = faultsSchema.safeParse(value, { error: ownWords });
  // What was given, not what was read: the seed says what is left out here.
  if (result.success) return value as FaultsInput;
  const problems = problemsOf(result.error).map((problem) => `  ${problem}`);
  throw new RelayError(`COLLECTION_SERVICE_FAULTS needs attention:\n${problems.join("\n")}`);
}
