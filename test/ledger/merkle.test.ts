import { describe, expect, it } from "vitest";
import { rootOf as rootBy, rootsOf } from "../../examples/verify/verify.ts";
import {
  consistencyPath,
  EMPTY_ROOT,
  inclusionPath,
  leafHash,
  nodeHash,
  type ReadSubtree,
  rootOf,
} from "../../src/ledger/merkle.ts";

/** The inputs and roots that Certificate Transparency's own implementations are tested with. */
const INPUTS = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
];
const ROOTS = [
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

function readerOf(leaves: readonly Buffer[]): ReadSubtree {
  const known = new Map<string, Buffer>();
  const read = (level: number, index: number): Buffer => {
    const key = `${level}/${index}`;
    const node =
      known.get(key) ??
      (level === 0
        ? (leaves[index] ?? EMPTY_ROOT)
        : nodeHash(read(level - 1, 2 * index), read(level - 1, 2 * index + 1)));
    known.set(key, node);
    return node;
  };
  return read;
}

describe("the tree of RFC 9162", () => {
  it("has the roots that other implementations have", async () => {
    const read = readerOf(INPUTS.map((input) => leafHash(Buffer.from(input, "hex"))));
    const roots = await Promise.all(ROOTS.map((_, at) => rootOf(0, at + 1, read)));
    expect(roots.map((root) => root.toString("hex"))).toEqual(ROOTS);
    expect((await rootOf(0, 0, read)).toString("hex")).toBe(
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    );
  });

  const leaves = Array.from({ length: 70 }, (_, at) => leafHash(Buffer.of(at)));
  const read = readerOf(leaves);

  it("proves every leaf of every size, and no other leaf", async () => {
    for (let size = 1; size <= leaves.length; size += 1) {
      const root = await rootOf(0, size, read);
      for (let index = 0; index < size; index += 1) {
        const path = await inclusionPath(index, size, read);
        const leaf = leaves[index] ?? EMPTY_ROOT;
        const proves = (one: Buffer) => rootBy(one, index, size, path).equals(root);
        expect([proves(leaf), proves(EMPTY_ROOT)], `${index} of ${size}`).toEqual([true, false]);
        // Of the others it would be the same; an exception takes longer than all the rest.
        if (index > 0 && index < size - 1) continue;
        expect(() => rootBy(leaf, index, size, [...path, root])).toThrow("does not fit");
        expect(() => rootBy(leaf, size, size, path)).toThrow();
      }
    }
  });

  it("proves that every tree begins with each smaller one, and with no other", async () => {
    const roots = await Promise.all([EMPTY_ROOT, ...leaves].map((_, size) => rootOf(0, size, read)));
    for (const [second, secondRoot] of roots.entries()) {
      for (const [first, firstRoot] of roots.slice(0, second + 1).entries()) {
        if (first === 0) continue;
        const path = await consistencyPath(first, second, read);
        const proves = (one: Buffer) =>
          Buffer.concat(rootsOf(first, second, [one], path)).equals(Buffer.concat([one, secondRoot]));
        expect([proves(firstRoot), proves(leafHash(firstRoot))], `${first} of ${second}`).toEqual([
          true,
          false,
        ]);
        if (first > 1 && first < second) continue;
        expect(() => rootsOf(first, second, [firstRoot], [...path, secondRoot])).toThrow("too long");
      }
    }
  });
});
