import { sql } from "kysely";
import { returned, type Slots, Statement } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import { inSnapshot } from "../database/transactions.ts";
import { readErasures } from "./erasures.ts";
import { type Kind, kindNamed } from "./kinds.ts";
import { differingColumns, fieldSalts, hashRow, leafBytes, NO_SALT, type Secret } from "./leaf.ts";
import { consistencyPath, EMPTY_ROOT, inclusionPath, type ReadSubtree, rootOf } from "./merkle.ts";
import { type LedgerRow, readRow } from "./read-rows.ts";
import { nameOfRow, saltIn, unpackRefs } from "./refs.ts";
import { HASH_BYTES, hashesIn, holdsKinds, holdsTimes, readTiles, rootOver, TILE_LEAVES } from "./tiles.ts";

export interface Root {
  size: number;
  root: Buffer;
  /** When the last leaf was taken in. */
  at: Date;
}

/** The root of a source's tree, or that of `*`; null while it has no leaf. */
export async function readRoot(db: Database, source: string): Promise<Root | null> {
  const columns = ["size", "root", "at"] as const;
  const row = await db.selectFrom("ledger").select(columns).where("source", "=", source).executeTakeFirst();
  return row === undefined || row.size === 0 ? null : row;
}

/** The roots of all trees that have a leaf. */
export function readRoots(db: Database): Promise<(Root & { source: string })[]> {
  return db
    .selectFrom("ledger")
    .select(["source", "size", "root", "at"])
    .where("size", ">", 0)
    .orderBy("source")
    .execute();
}

const selectTileRoots = new Statement(
  { roots: returned.bytes },
  ({ value }: Slots<{ source: string; from: number; to: number }>) => sql`
    select coalesce(string_agg(root, '' order by index), '') as roots from ledger_tile
    where source = ${value(({ source }) => source)}
      and index >= ${value(({ from }) => from)}::int and index < ${value(({ to }) => to)}::int`,
);

/**
 * Reads the roots of perfect subtrees, each tile once: for one snapshot. @throws Error where a tile is missing.
 */
function subtreesOf(db: Database, source: string): ReadSubtree {
  const kept = new Map<string, Promise<Buffer>>();
  const once = (name: string, hashes: () => Promise<Buffer>) => {
    const reading = kept.get(name) ?? hashes();
    kept.set(name, reading);
    return reading;
  };
  const tileLevel = Math.log2(TILE_LEAVES);
  const read = async (hashes: Promise<Buffer>, first: number, count: number) => {
    const found = hashesIn(await hashes).slice(first, first + count);
    const root = rootOver(found);
    if (root === null || found.length < count) throw new Error(`a tile of the tree ${source} is missing`);
    return root;
  };
  return (level, index) => {
    if (level >= tileLevel) {
      const count = 2 ** (level - tileLevel);
      const range = { source, from: index * count, to: (index + 1) * count };
      const roots = async () => (await selectTileRoots.execute(db, range))[0]?.roots ?? Buffer.alloc(0);
      return read(once(`${level} ${index}`, roots), 0, count);
    }
    const first = index * 2 ** level;
    const tile = Math.floor(first / TILE_LEAVES);
    const hashes = () => readHashes(db, source, tile);
    return read(once(`tile ${tile}`, hashes), first % TILE_LEAVES, 2 ** level);
  };
}

/** The hashes of one tile; the last one may not be full. */
async function readHashes(db: Database, source: string, index: number): Promise<Buffer> {
  const [tile] = await readTiles(db, source, sql`index = ${index}::int`);
  return tile?.hashes ?? Buffer.alloc(0);
}

/** The root of the first `size` leaves. */
export const rootAt = (db: Database, source: string, size: number): Promise<Buffer> =>
  size === 0 ? Promise.resolve(EMPTY_ROOT) : rootOf(0, size, subtreesOf(db, source));

/** Shows that the tree of `second` leaves begins with that of `first`. */
export const proveConsistency = (
  db: Database,
  source: string,
  first: number,
  second: number,
): Promise<Buffer[]> => consistencyPath(first, second, subtreesOf(db, source));

/** Proves that rows, as they stand, are in the tree: for one snapshot. */
export class Prover {
  readonly #snapshot: Database;
  readonly #trees = new Map<string, Promise<Root | null>>();
  readonly #subtrees = new Map<string, ReadSubtree>();

  constructor(snapshot: Database) {
    this.#snapshot = snapshot;
  }

  /**
   * @returns the row's leaf, made from it as it is now, with its index from 0 and what proves that it is in the tree
   *   if it `matches`; `salts` of the fields that can be erased, in hex, null when the row was erased. null where the
   *   row has no leaf yet.
   */
  async prove(kind: Kind, row: LedgerRow) {
    const found = await this.find(kind, row);
    if (found === null) return null;
    const { tree, leaf, secret, matches } = found;
    const subtrees = this.#subtrees.get(row.source) ?? subtreesOf(this.#snapshot, row.source);
    this.#subtrees.set(row.source, subtrees);
    return {
      index: leaf.index,
      ...tree,
      path: await inclusionPath(leaf.index, tree.size, subtrees),
      leaf: leafBytes(kind, row, secret),
      matches,
      salts: leaf.salt === null ? null : fieldSalts(kind, leaf.salt),
    };
  }

  /** A row's leaf, and whether the row still says the same; null where it has no leaf yet. */
  async find(kind: Kind, row: LedgerRow) {
    const { source, key, at } = row;
    const db = this.#snapshot;
    const reading = this.#trees.get(source) ?? readRoot(db, source);
    this.#trees.set(source, reading);
    const tree = await reading;
    const leaf = tree && (await findLeaf(db, kind, row, tree.size));
    if (tree === null || leaf === null) return null;
    const erasures = await readErasures(db, kind, [row]);
    const secret: Secret = erasures.get(`${source} ${key} ${at}`) ?? { salt: leaf.salt ?? NO_SALT };
    const { hash, checks } = hashRow(kind, row, secret);
    const columns = differingColumns(kind, checks, leaf.checks);
    return { tree, leaf, secret, matches: hash.equals(leaf.hash), columns };
  }
}

/**
 * How many of these rows are there and have a leaf in the tree of the source, which a new one gets within minutes;
 * `changed`: those that say something else by now, of several columns in one of 256 without one of them.
 */
export const countLeaves = (
  db: Database,
  source: string,
  named: readonly { kind: string; key: string; at?: string }[],
) =>
  inSnapshot(db, async (snapshot) => {
    const prover = new Prover(snapshot);
    const size = (await readRoot(snapshot, source))?.size ?? 0;
    const count = {
      source,
      size,
      rows: 0,
      leaves: 0,
      changed: [] as { kind: string; key: string; columns: string[] }[],
    };
    for (const { kind: name, key, at } of named) {
      const kind = kindNamed(name);
      const row = await readRow(snapshot, kind, source, key, at);
      if (row === null) continue;
      count.rows += 1;
      const found = await prover.find(kind, row);
      if (found === null) continue;
      count.leaves += 1;
      if (!found.matches) count.changed.push({ kind: name, key, columns: found.columns });
    }
    return count;
  });

/** Where the leaf of a version of a row stands; null when it has none. @param size of the tree. */
async function findLeaf(db: Database, kind: Kind, row: LedgerRow, size: number) {
  const name = nameOfRow(kind, row);
  const which = sql`${holdsKinds([kind])} and ${holdsTimes(row.at, row.at)}`;
  for (const tile of await readTiles(db, row.source, which)) {
    const refs = [...unpackRefs(tile.refs)];
    const at = refs.findIndex((ref) => ref.name === name);
    const ref = refs[at];
    if (ref === undefined) continue;
    const first = tile.index === null ? size - refs.length : tile.index * TILE_LEAVES;
    const hash = tile.hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
    return { index: first + at, hash, salt: saltIn(tile.salts, ref), checks: ref.checks };
  }
  return null;
}
