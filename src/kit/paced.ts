/**
 * Does something for a key at once, and at most once in `everyMs` after that: what is asked for in between is
 * done once, when the time is over, so that nothing asked for stays undone.
 */
export class Paced {
  readonly #everyMs: number;
  readonly #act: (key: string) => void;
  readonly #resting = new Map<string, { again: boolean; timer: NodeJS.Timeout }>();

  constructor(options: { everyMs: number; act: (key: string) => void }) {
    this.#everyMs = options.everyMs;
    this.#act = options.act;
  }

  ask(key: string): void {
    const resting = this.#resting.get(key);
    if (resting !== undefined) resting.again = true;
    else this.#do(key);
  }

  stop(): void {
    for (const { timer } of this.#resting.values()) clearTimeout(timer);
  }

  #do(key: string): void {
    const timer = setTimeout(() => {
      const again = this.#resting.get(key)?.again === true;
      this.#resting.delete(key);
      if (again) this.#do(key);
    }, this.#everyMs).unref();
    this.#resting.set(key, { again: false, timer });
    this.#act(key);
  }
}
