const FIRST_SLOTS = 1_024;

/**
 * The ids that a reading has shown, in 8 to 32 bytes each outside the heap (G8): a list may have a million. Half
 * of an id's bits stand for it. Two of a million agree in those once in forty million readings, and then the
 * reading is taken as one that contradicts itself.
 */
export class IdSet {
  #slots = new Uint32Array(2 * FIRST_SLOTS);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @param id a UUID in lower case. */
  add(id: string): void {
    const part = (begin: number, end: number) => Number.parseInt(id.slice(begin, end), 16);
    const low = (part(0, 8) ^ part(28, 36)) >>> 0;
    // No slot that is taken is zero.
    const high = ((part(9, 13) * 65_536 + part(14, 18)) ^ (part(19, 23) * 65_536 + part(24, 28))) >>> 0 || 1;
    if (!place(this.#slots, low, high)) return;
    this.#size += 1;
    if (4 * this.#size > this.#slots.length) this.#grow();
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(2 * old.length);
    for (let at = 0; at < old.length; at += 2) {
      const [low = 0, high = 0] = [old[at], old[at + 1]];
      if (high !== 0) place(this.#slots, low, high);
    }
  }
}

/** @returns whether it was not there. */
function place(slots: Uint32Array, low: number, high: number): boolean {
  const mask = slots.length / 2 - 1;
  for (let slot = (low ^ Math.imul(high, 0x9e37_79b1)) & mask; ; slot = (slot + 1) & mask) {
    if (slots[2 * slot + 1] === 0) {
      slots[2 * slot] = low;
      slots[2 * slot + 1] = high;
      return true;
    }
    if (slots[2 * slot] === low && slots[2 * slot + 1] === high) return false;
  }
}
