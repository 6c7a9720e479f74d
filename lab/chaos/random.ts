import { createHash } from "node:crypto";

/** Seeded random numbers: the same seed and name give the same sequence, independent of other names. */
export class Random {
  readonly #name: string;
  #drawn = 0;

  constructor(seed: number, name: string) {
    this.#name = `${seed}/${name}`;
  }

  #bytes(): Buffer {
    this.#drawn += 1;
    return createHash("sha256").update(`${this.#name}/${this.#drawn}`).digest();
  }

  /** At least 0, below 1. */
  share(): number {
    return this.#bytes().readUIntBE(0, 6) / 2 ** 48;
  }

  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number {
    return least + Math.floor(this.share() * (most - least + 1));
  }

  /** @throws Error when there is nothing to choose from. */
  one<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.share() * items.length)];
    if (item === undefined) throw new Error("There is nothing to choose from.");
    return item;
  }

  uuid(): string {
    const bytes = this.#bytes().subarray(0, 16);
    bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
    return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  }
}
