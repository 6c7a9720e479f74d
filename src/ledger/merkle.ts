import { hash } from "node:crypto";

// The tree of RFC 9162, section 2.1. Perfect subtrees are named by their level (0: leaves) and their index on it;
// whoever has them is asked for their roots.

/** @returns the root of the perfect subtree over the leaves from `index` * 2 ** `level` on. */
export type ReadSubtree = (level: number, index: number) => Promise<Buffer> | Buffer;

export const EMPTY_ROOT = hash("sha256", "", "buffer");

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

export const leafHash = (bytes: Uint8Array): Buffer => hash("sha256", Buffer.concat([LEAF, bytes]), "buffer");

export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer =>
  hash("sha256", Buffer.concat([NODE, left, right]), "buffer");

/** The largest power of two that is smaller than `size`, as an exponent. */
const splitLevel = (size: number): number => Math.ceil(Math.log2(size)) - 1;

/** The root of the leaves from `start` up to `end`, which begin where a subtree of their size may begin. */
export async function rootOf(start: number, end: number, read: ReadSubtree): Promise<Buffer> {
  const size = end - start;
  if (size === 0) return EMPTY_ROOT;
  const level = Math.log2(size);
  if (Number.isInteger(level)) return await read(level, start / size);
  const middle = start + 2 ** splitLevel(size);
  return nodeHash(await rootOf(start, middle, read), await rootOf(middle, end, read));
}

/** Section 2.1.3.1: what the leaf's hash is combined with on the way to the root of `size` leaves. */
export async function inclusionPath(index: number, size: number, read: ReadSubtree): Promise<Buffer[]> {
  const path: Buffer[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + 2 ** splitLevel(end - start);
    if (index < middle) {
      path.push(await rootOf(middle, end, read));
      end = middle;
    } else {
      path.push(await rootOf(start, middle, read));
      start = middle;
    }
  }
  return path.reverse();
}

/** Section 2.1.4.1: what shows that the tree of `second` leaves begins with that of `first`. */
export async function consistencyPath(first: number, second: number, read: ReadSubtree): Promise<Buffer[]> {
  if (first === 0 || first === second) return [];
  const path: Buffer[] = [];
  let [start, end] = [0, second];
  // Whether the part that is left is the whole first tree, whose root the verifier has.
  let isWhole = true;
  while (end !== first) {
    const middle = start + 2 ** splitLevel(end - start);
    if (first <= middle) {
      path.push(await rootOf(middle, end, read));
      end = middle;
    } else {
      path.push(await rootOf(start, middle, read));
      start = middle;
      isWhole = false;
    }
  }
  if (!isWhole) path.push(await rootOf(start, end, read));
  return path.reverse();
}
