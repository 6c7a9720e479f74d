import { randomBytes } from "node:crypto";
import { sql, type Transaction } from "kysely";
import type { Database, Tables } from "../database/tables.ts";
import { type Kind, SHARED } from "./kinds.ts";
import { hashRow, NO_SALT, SALT_BYTES } from "./leaf.ts";
import { EMPTY_ROOT, nodeHash } from "./merkle.ts";
import { microsOf, timeOfMicros } from "./moments.ts";
import type { LedgerRow } from "./read-rows.ts";
import { type LeafRef, nameOf, packRefs, unpackRefs } from "./refs.ts";
import { chunked, contentsOf, hashesIn, holdsTimes, readTiles, rootOver, TILE_LEAVES } from "./tiles.ts";

/** A leaf that is to be appended. */
export interface NewLeaf extends LeafRef {
  source: string;
  /** null where the kind has no field that can be erased. */
  salt: Buffer | null;
  hash: Buffer;
}

/** The leaf of a row, with a salt of its own. */
export function makeLeaf(kind: Kind, row: LedgerRow): NewLeaf {
  const salt = kind.erasable === undefined ? null : randomBytes(SALT_BYTES);
  const { source, key, at } = row;
  return { source, kind, key, micros: microsOf(at), salt, ...hashRow(kind, row, { salt: salt ?? NO_SALT }) };
}

/**
 * Makes this transaction the only one that changes the trees, until its end.
 * @param wait without it, gives up when another one does.
 * @returns whether it got that.
 */
export async function lockLedger(trx: Transaction<Tables>, { wait }: { wait: boolean }): Promise<boolean> {
  await insertTree(trx, SHARED);
  const row = trx.selectFrom("ledger").select("source").where("source", "=", SHARED).forUpdate();
  return (await (wait ? row : row.skipLocked()).executeTakeFirst()) !== undefined;
}

const insertTree = (trx: Transaction<Tables>, source: string) =>
  trx
    .insertInto("ledger")
    .values({ source, root: EMPTY_ROOT })
    .onConflict((conflict) => conflict.doNothing())
    .execute();

/**
 * Appends those of the leaves whose rows have none in the trees yet. The ledger is locked.
 * @returns how many.
 */
export async function appendLeaves(trx: Transaction<Tables>, leaves: readonly NewLeaf[]): Promise<number> {
  let appended = 0;
  for (const [source, own] of Map.groupBy(leaves, (leaf) => leaf.source)) {
    const known = await readNames(trx, source, own);
    const fresh = own.filter((leaf) => !known.has(nameOf(leaf)));
    // In order of time, so that a tile holds a short range of it.
    fresh.sort((one, other) => one.micros - other.micros);
    if (fresh.length > 0) await extendTree(trx, source, fresh);
    appended += fresh.length;
  }
  return appended;
}

/** The names of those leaves of a tree that may be about the same rows. */
async function readNames(db: Database, source: string, leaves: readonly NewLeaf[]): Promise<Set<string>> {
  const times = leaves.map(({ micros }) => micros);
  const range = holdsTimes(timeOfMicros(Math.min(...times)), timeOfMicros(Math.max(...times)));
  const names = new Set<string>();
  for (const { refs } of await readTiles(db, source, range))
    for (const { name } of unpackRefs(refs)) names.add(name);
  return names;
}

async function extendTree(
  trx: Transaction<Tables>,
  source: string,
  leaves: readonly NewLeaf[],
): Promise<void> {
  await insertTree(trx, source);
  const tree = await trx
    .selectFrom("ledger")
    .select(["size", "peaks", "hashes", "refs", "salts"])
    .where("source", "=", source)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const peaks = hashesIn(tree.peaks);
  let index = Math.floor(tree.size / TILE_LEAVES);
  let hashes = hashesIn(tree.hashes);
  let refs: LeafRef[] = [...unpackRefs(tree.refs)];
  let salts = [tree.salts];
  for (const leaf of leaves) {
    hashes.push(leaf.hash);
    refs.push(leaf);
    if (leaf.salt !== null) salts.push(leaf.salt);
    if (hashes.length < TILE_LEAVES) continue;
    const root = rootOver(hashes) ?? EMPTY_ROOT;
    const [whole, rest] = chunked(Buffer.concat([...hashes, packRefs(refs)]));
    const [wholeSalts, restOfSalts] = chunked(Buffer.concat(salts));
    const tile = { source, index, root, leaves: whole, leaves_rest: rest, salts: wholeSalts };
    await trx
      .insertInto("ledger_tile")
      .values({ ...tile, salts_rest: restOfSalts, ...contentsOf(refs) })
      .execute();
    addPeak(peaks, index, root);
    index += 1;
    [hashes, refs, salts] = [[], [], []];
  }
  await trx
    .updateTable("ledger")
    .set({
      size: tree.size + leaves.length,
      root: foldPeaks(peaks, rootOver(hashes)),
      peaks: Buffer.concat(peaks),
      hashes: Buffer.concat(hashes),
      refs: packRefs(refs),
      salts: Buffer.concat(salts),
      at: sql`clock_timestamp()`,
    })
    .where("source", "=", source)
    .execute();
}

/** Adds the root of the next full tile to those of the perfect subtrees, the largest first. */
export function addPeak(peaks: Buffer[], index: number, root: Buffer): void {
  let merged = root;
  // Each 1 at the end of the index is a perfect subtree that this tile completes a larger one with.
  for (let ones = index; ones % 2 === 1; ones = (ones - 1) / 2) {
    const left = peaks.pop();
    if (left !== undefined) merged = nodeHash(left, merged);
  }
  peaks.push(merged);
}

/** The root of a tree of these perfect subtrees and the leaves after them. */
export function foldPeaks(peaks: readonly Buffer[], last: Buffer | null): Buffer {
  const parts = last === null ? peaks : [...peaks, last];
  return parts.length === 0 ? EMPTY_ROOT : parts.reduceRight((right, left) => nodeHash(left, right));
}
