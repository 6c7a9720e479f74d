import { sql } from "kysely";
import type { Database } from "../database/tables.ts";
import { inSnapshot } from "../database/transactions.ts";
import { addPeak, foldPeaks } from "./append.ts";
import { type Finding, findingOfTree } from "./findings.ts";
import { readRoots, rootAt } from "./proofs.ts";
import { hashesIn, readTiles, rootOver, TILE_BYTES, TILE_LEAVES } from "./tiles.ts";

/** A root that was kept outside (docs/ledger.md). */
export interface OutsideRoot {
  source: string;
  size: number;
  root: string;
  at: string;
}

const TILES_AT_ONCE = 64;

/** Whether each tree is what its leaves make. */
export async function checkTrees(
  db: Database,
  stop: AbortSignal | undefined,
): Promise<{ sources: string[]; leaves: number; findings: Finding[] }> {
  const findings: Finding[] = [];
  let leaves = 0;
  const sources = await db.selectFrom("ledger").select("source").orderBy("source").execute();
  for (const { source } of sources) {
    const checked = await inSnapshot(db, (snapshot) => checkTree(snapshot, source, stop));
    leaves += checked.leaves;
    if (checked.fault !== null) findings.push(findingOfTree("tree", source, checked.fault));
  }
  return { sources: sources.map(({ source }) => source), leaves, findings };
}

async function checkTree(
  db: Database,
  source: string,
  stop: AbortSignal | undefined,
): Promise<{ leaves: number; fault: string | null }> {
  const tree = await db
    .selectFrom("ledger")
    .select(["size", "root"])
    .where("source", "=", source)
    .executeTakeFirstOrThrow();
  const peaks: Buffer[] = [];
  const full = Math.floor(tree.size / TILE_LEAVES);
  const told = (index: number) => `leaves ${index * TILE_LEAVES} to ${(index + 1) * TILE_LEAVES - 1}`;
  for (let first = 0; first <= full; first += TILES_AT_ONCE) {
    stop?.throwIfAborted();
    const which = sql`index >= ${first}::int and index < ${Math.min(first + TILES_AT_ONCE, full)}::int`;
    const tiles = await readTiles(db, source, which);
    const last = tiles.pop();
    for (let index = first; index < Math.min(first + TILES_AT_ONCE, full); index += 1) {
      const tile = tiles[index - first];
      if (tile?.index !== index) return { leaves: 0, fault: `the tile of ${told(index)} is missing` };
      if (tile.hashes.length !== TILE_BYTES) return { leaves: 0, fault: `${told(index)}: one is missing` };
      const root = rootOver(hashesIn(tile.hashes));
      // Or a tree whose leaves were rewritten would still prove the roots from before.
      if (root === null || !tile.root?.equals(root))
        return { leaves: 0, fault: `the root of ${told(index)} is not theirs: they were changed` };
      addPeak(peaks, index, root);
    }
    if (first + TILES_AT_ONCE <= full) continue;
    const held = hashesIn(last?.hashes ?? Buffer.alloc(0));
    if (full * TILE_LEAVES + held.length !== tree.size)
      return {
        leaves: 0,
        fault: `${tree.size} leaves are told, ${full * TILE_LEAVES + held.length} are there`,
      };
    if (!foldPeaks(peaks, rootOver(held)).equals(tree.root))
      return { leaves: 0, fault: "its root is not that of its leaves: a leaf was changed" };
  }
  return { leaves: tree.size, fault: null };
}

/** Whether the trees begin with what these roots stand for. */
export async function checkRoots(db: Database, roots: readonly OutsideRoot[]): Promise<Finding[]> {
  const trees = new Map((await readRoots(db)).map((tree) => [tree.source, tree]));
  const findings: Finding[] = [];
  for (const { source, size, root, at } of roots) {
    const tree = trees.get(source);
    const find = (what: Finding["what"], detail: string) =>
      findings.push(findingOfTree(what, source, detail, at));
    if (tree === undefined)
      find(
        "tree",
        `there is no tree of the source "${source}": the root is of another installation or source`,
      );
    else if (tree.size < size)
      find(
        "behind",
        `the root of ${at} stands for ${size} leaves and this tree has ${tree.size}: the last ` +
          `${size - tree.size}, taken in after ${tree.at.toISOString()}, are missing. The database is a restored ` +
          "backup, or a standby that was promoted without its last moments",
      );
    else if (!(await rootAt(db, source, size).catch(() => Buffer.alloc(0))).equals(Buffer.from(root, "hex")))
      find(
        "different",
        `the first ${size} leaves are not those that the root of ${at} stands for: the tree was rewritten, or ` +
          "went on from a backup that was behind this root; or the root is another installation's",
      );
  }
  return findings;
}
