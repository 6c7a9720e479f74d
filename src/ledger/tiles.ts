import { type RawBuilder, sql } from "kysely";
import { nullable, returned, VaryingStatement } from "../database/statement.ts";
import type { Database } from "../database/tables.ts";
import type { Kind } from "./kinds.ts";
import { nodeHash } from "./merkle.ts";
import { timeOfMicros } from "./moments.ts";
import type { LeafRef } from "./refs.ts";

export const TILE_LEAVES = 256;
export const HASH_BYTES = 32;
export const TILE_BYTES = TILE_LEAVES * HASH_BYTES;

/** The leaves of a full tile, or those that fill none yet. */
export interface Tile {
  /** Its place in the tree; null for the leaves that fill none yet. */
  index: number | null;
  /** As it is kept, from which proofs are made; null with the index. */
  root: Buffer | null;
  hashes: Buffer;
  refs: Buffer;
  salts: Buffer;
}

export const hashesIn = (bytes: Buffer): Buffer[] =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, at) =>
    bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES),
  );

/** The root over hashes of one level, level by level: a last one without a sibling goes up as it is. */
export function rootOver(hashes: readonly Buffer[]): Buffer | null {
  let level = hashes;
  while (level.length > 1) {
    const above: Buffer[] = [];
    for (let at = 0; at < level.length; at += 2) {
      const [left, right] = [level[at], level[at + 1]];
      if (left !== undefined) above.push(right === undefined ? left : nodeHash(left, right));
    }
    level = above;
  }
  return level[0] ?? null;
}

/** What Postgres puts into a chunk out of line. */
const CHUNK_BYTES = 1_996;

/** The two values of a full tile that bytes are kept in: what fills chunks, and the rest. */
export function chunked(bytes: Buffer): [Buffer, Buffer] {
  const end = bytes.length - (bytes.length % CHUNK_BYTES);
  return [bytes.subarray(0, end), bytes.subarray(end)];
}

const TILE = {
  index: nullable(returned.integer),
  root: nullable(returned.bytes),
  hashes: returned.bytes,
  refs: returned.bytes,
  salts: returned.bytes,
} as const;

/** The leaves of a source that fill no tile yet count as a tile that holds everything. */
const selectTiles = new VaryingStatement(
  TILE,
  ({ source, which }: { source: string; which: RawBuilder<unknown> }) => sql`
    select index, root, substring(leaves for ${sql.lit(TILE_BYTES)}) as hashes,
      substring(leaves from ${sql.lit(TILE_BYTES + 1)}) || leaves_rest as refs, salts || salts_rest as salts
    from ledger_tile where source = ${source} and (${which})
    union all
    select null, null, hashes, refs, salts from ledger where source = ${source}
    order by 1 nulls last`,
  [{ source: "", which: sql`true` }],
);

const bitsOf = (kinds: Iterable<Kind>): number =>
  [...kinds].reduce((bits, { code }) => bits | (1 << code), 0);

export const holdsKinds = (kinds: Iterable<Kind>): RawBuilder<unknown> =>
  sql`kinds & ${bitsOf(kinds)}::int <> 0`;

/** A condition: tiles that may hold rows of these times, both included. */
export const holdsTimes = (from: string, to: string): RawBuilder<unknown> =>
  sql`times && tstzrange(${from}::timestamptz, ${to}::timestamptz, '[]')`;

/** Tiles in their order, and last of all the leaves that fill none. @param which on rows of `ledger_tile`. */
export const readTiles = (db: Database, source: string, which: RawBuilder<unknown>): Promise<Tile[]> =>
  selectTiles.execute(db, { source, which });

/** What the indexes of tiles need to know of its references. */
export function contentsOf(refs: readonly LeafRef[]) {
  const times = refs.map(({ micros }) => micros);
  const [from, to] = [timeOfMicros(Math.min(...times)), timeOfMicros(Math.max(...times))];
  return {
    kinds: bitsOf(new Set(refs.map(({ kind }) => kind))),
    times: `[${from},${to}]`,
    answers: refs.filter(({ kind }) => kind.name === "answer").map(({ key }) => answerOf(key)),
  };
}

/** A condition: tiles that may hold answers about the invoice that this names, of whatever time. */
export const holdsAnswer = (invoiceId: string): RawBuilder<unknown> =>
  sql`answers @> array[${answerOf(invoiceId)}::int] and answers <> '{}'`;

/** 16 bits of the invoice's id: so few that the index has a list for each, of three bytes an entry. */
const answerOf = (invoiceId: string): number => Number.parseInt(invoiceId.slice(0, 4), 16);
