import { type Kysely, type RawBuilder, sql } from "kysely";
import { nullable, returned, VaryingStatement } from "../database/statement.ts";
import type { Tables } from "../database/tables.ts";
import type { Kind } from "./kinds.ts";
import { nodeHash } from "./merkle.ts";
import { timeOfMicros } from "./moments.ts";
import { type Ref, unpackRefs } from "./refs.ts";

export const TILE_LEAVES = 256;
export const HASH_BYTES = 32;

/** The leaves of a full tile, or those that fill none yet. */
export interface Tile {
  /** Its place in the tree; null for the leaves that fill none yet. */
  index: number | null;
  hashes: Buffer;
  refs: Buffer;
  salts: Buffer;
  checks: Buffer;
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

const TILE = {
  index: nullable(returned.integer),
  hashes: returned.bytes,
  refs: returned.bytes,
  salts: returned.bytes,
  checks: returned.bytes,
} as const;

/** The leaves of a source that fill no tile yet count as a tile that holds everything. */
const selectTiles = new VaryingStatement(
  TILE,
  ({ source, which }: { source: string; which: RawBuilder<unknown> }) => sql`
    select index, hashes, refs, salts, checks from ledger_tile where source = ${source} and (${which})
    union all
    select null, hashes, refs, salts, checks from ledger where source = ${source}
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
export const readTiles = (db: Kysely<Tables>, source: string, which: RawBuilder<unknown>): Promise<Tile[]> =>
  selectTiles.execute(db, { source, which });

/** What the indexes of tiles need to know of its references. */
export function contentsOf(refs: Buffer): { kinds: number; from: string; to: string; answers: number[] } {
  const found = [...unpackRefs(refs)];
  const times = found.map(({ name }) => Buffer.from(name.slice(1, 9), "latin1").readDoubleBE());
  return {
    kinds: bitsOf(new Set(found.map(({ kind }) => kind))),
    from: timeOfMicros(Math.min(...times)),
    to: timeOfMicros(Math.max(...times)),
    answers: found.filter(({ kind }) => kind.name === "answer").map(answerOf),
  };
}

/** A condition: tiles that may hold answers about the invoice that this names, of whatever time. */
export const holdsAnswer = (ref: Pick<Ref, "name">): RawBuilder<unknown> =>
  sql`answers @> array[${answerOf(ref)}::int] and answers <> '{}'`;

/** 16 bits of the invoice's id: so few that the index has a list for each, of three bytes an entry. */
const answerOf = ({ name }: Pick<Ref, "name">): number =>
  Buffer.from(name.slice(9, 11), "latin1").readUInt16BE();
