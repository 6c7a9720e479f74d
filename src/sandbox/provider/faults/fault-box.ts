import type { OperationName } from "../../../collection-api/contract/index.ts";
import type { CallbackVariant } from "../callbacks/callback-request.ts";
import { type ApiFault, type Faults, NO_FAULTS } from "./faults.ts";

/** The faults in force, and what is left of those that strike a number of times. */
export class FaultBox {
  #faults: Faults;
  #timesLeft: number[] = [];
  #shiftsLeft = 0;
  #variants = 0;

  constructor(faults: Faults) {
    this.#faults = faults;
    this.replace(faults);
  }

  get current(): Faults {
    return this.#faults;
  }

  /** Puts these in the place of all that were in force. */
  replace(faults: Faults): void {
    this.#faults = faults;
    this.#timesLeft = faults.api.map((fault) => fault.times ?? Number.POSITIVE_INFINITY);
    this.#shiftsLeft = faults.list.shiftTimes;
    this.#variants = 0;
  }

  reset(): void {
    this.replace(NO_FAULTS);
  }

  /** The fault that strikes this request, counted as having struck; undefined when all is well. */
  strike(operation: OperationName): ApiFault | undefined {
    const index = this.#faults.api.findIndex(
      (fault, at) =>
        (this.#timesLeft[at] ?? 0) > 0 &&
        (fault.operations?.includes(operation) ?? true) &&
        (fault.share === 1 || Math.random() < fault.share),
    );
    if (index < 0) return undefined;
    this.#timesLeft[index] = (this.#timesLeft[index] ?? 0) - 1;
    return this.#faults.api[index];
  }

  /** Whether an invoice is to be created before the page is read. */
  takeShift(): boolean {
    if (this.#shiftsLeft <= 0) return false;
    this.#shiftsLeft -= 1;
    return true;
  }

  /** The variant of the next callback. */
  nextVariant(): CallbackVariant {
    const { variants } = this.#faults.callback;
    const variant = variants[this.#variants % variants.length] ?? "documented";
    this.#variants += 1;
    return variant;
  }
}
