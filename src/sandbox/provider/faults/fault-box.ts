import type { OperationName } from "../../../collection-api/contract/index.ts";
import type { CallbackVariant } from "../callbacks/callback-request.ts";
import { type ApiFault, type Faults, type FaultsInput, faultsSchema } from "./faults.ts";

/** The faults in force, and what is left of those that strike a number of times. */
export class FaultBox {
  readonly #seed: FaultsInput;
  #faults: Faults;
  #apiLeft: number[] = [];
  #nextVariant: () => CallbackVariant = () => "documented";

  /** @param seed what is in force where nothing else is asked for. */
  constructor(seed: FaultsInput, faults: FaultsInput) {
    this.#seed = seed;
    this.#faults = this.replace(faults);
  }

  get current(): Faults {
    return this.#faults;
  }

  /** Puts these in the place of all that were in force; what they leave out is the seed's. */
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

/** One after the other, and again from the first. */
export function variantsInTurn(variants: readonly CallbackVariant[]): () => CallbackVariant {
  let nth = 0;
  return () => variants[nth++ % variants.length] ?? "documented";
}
