import { BlockList, isIP } from "node:net";

/** The addresses and blocks that callbacks may come from. */
export class AllowedAddresses {
  readonly #list = new BlockList();

  constructor(blocks: readonly string[]) {
    for (const block of blocks) {
      const [address = "", bits] = block.split("/");
      const family = isIP(address) === 6 ? "ipv6" : "ipv4";
      if (bits === undefined) this.#list.addAddress(address, family);
      else this.#list.addSubnet(address, Number(bits), family);
    }
  }

  /** A server that listens on both families sees 203.0.113.7 as `::ffff:203.0.113.7`: the same address. */
  includes(address: string): boolean {
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, "");
    const family = isIP(plain);
    return family !== 0 && this.#list.check(plain, family === 6 ? "ipv6" : "ipv4");
  }
}
