/** How many keys are remembered; beyond that the one that was set longest ago is forgotten. */
const MOST = 10_000;

/** A map that forgets: strangers choose its keys, and must not fill the memory with them (G8). */
export class Remembered<Value> {
  readonly #values = new Map<string, Value>();

  get(key: string): Value | undefined {
    return this.#values.get(key);
  }

  /** Keeps it as the newest. */
  set(key: string, value: Value): void {
    this.#values.delete(key);
    if (this.#values.size >= MOST) {
      // A Map keeps the order of insertion.
      const [oldest] = this.#values.keys();
      if (oldest !== undefined) this.#values.delete(oldest);
    }
    this.#values.set(key, value);
  }
}
