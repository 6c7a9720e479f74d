import { type RawBuilder, sql, type Transaction } from "kysely";
import { typed } from "../database/expressions.ts";
import { returned } from "../database/statement.ts";
import type { Database, Tables } from "../database/tables.ts";
import { appendLeaves, lockLedger, makeLeaf } from "./append.ts";
import { type Kind, kindNamed } from "./kinds.ts";
import { NO_SALT, packDigests, remainsOf } from "./leaf.ts";
import { timeText } from "./moments.ts";
import { type LedgerRow, readRow, rowsWhere } from "./read-rows.ts";
import { nameOfRow, type Ref, saltIn, unpackRefs } from "./refs.ts";
import { chunked, holdsAnswer, holdsTimes, readTiles, type Tile } from "./tiles.ts";

interface Legible {
  kind: Kind;
  row: LedgerRow;
}

/**
 * What the ledger keeps when rows lose their personal data, in the same transaction: `read` the rows before
 * they are blanked, `keep` their digests after. A row without a leaf gets one first, so that it is known what
 * was erased.
 */
export class Erasing {
  readonly #trx: Transaction<Tables>;
  readonly #legible: Legible[] = [];

  constructor(trx: Transaction<Tables>) {
    this.#trx = trx;
  }

  /** @param where which rows of a kind are about to be blanked; a condition on `known`, by an index. */
  async read(name: string, where: RawBuilder<unknown>): Promise<void> {
    // From here on nothing becomes a leaf beside this transaction.
    if (this.#legible.length === 0) await lockLedger(this.#trx, { wait: true });
    const kind = kindNamed(name);
    const isLegible = sql`known.erased_at is null and ${where}`;
    for await (const row of rowsWhere(this.#trx, kind, isLegible)) this.#legible.push({ kind, row });
  }

  async keep(): Promise<void> {
    for (const { kind, row } of this.#legible) {
      const salt = (await this.#takeSalt(kind, row)) ?? (await this.#appendLeaf(kind, row));
      const left = await readRow(this.#trx, kind, row.source, row.key, row.at);
      await this.#trx
        .insertInto("ledger_erasure")
        .values({
          row_at: sql`${row.at}::timestamptz`,
          source: row.source,
          kind: kind.name,
          key: row.key,
          digests: packDigests(kind, row, salt),
          remains: remainsOf(kind, left ?? row),
        })
        .execute();
    }
  }

  /** @returns the salt of the row's leaf, which is zeroed; null where it has no leaf yet. */
  async #takeSalt(kind: Kind, { source, key, at }: LedgerRow): Promise<Buffer | null> {
    const name = nameOfRow(kind, { key, at });
    // Nothing but the newest answer stands in `invoice`; those before it are erased with it.
    const which = kind.hasVersions ? sql`${holdsTimes(at, at)} or ${holdsAnswer(key)}` : holdsTimes(at, at);
    const isAbout = (ref: Ref) =>
      ref.kind === kind && ref.key === key && (kind.hasVersions || ref.name === name);
    let salt: Buffer | null = null;
    for (const tile of await readTiles(this.#trx, source, which)) {
      const found = [...unpackRefs(tile.refs)].filter(isAbout);
      for (const ref of found) if (ref.name === name) salt = Buffer.from(saltIn(tile.salts, ref) ?? NO_SALT);
      for (const { saltAt } of found) if (saltAt !== null) NO_SALT.copy(tile.salts, saltAt);
      if (found.length > 0) await this.#write(source, tile);
    }
    return salt;
  }

  async #write(source: string, { index, salts }: Tile): Promise<void> {
    if (index === null)
      await this.#trx.updateTable("ledger").set({ salts }).where("source", "=", source).execute();
    else {
      const [whole, rest] = chunked(salts);
      await this.#trx
        .updateTable("ledger_tile")
        .set({ salts: whole, salts_rest: rest })
        .where("source", "=", source)
        .where("index", "=", index)
        .execute();
    }
  }

  async #appendLeaf(kind: Kind, row: LedgerRow): Promise<Buffer> {
    const leaf = makeLeaf(kind, row);
    await appendLeaves(this.#trx, [{ ...leaf, salt: NO_SALT }]);
    return leaf.salt ?? NO_SALT;
  }
}

/** What erasing kept of these rows, by `<source> <key> <time>`; those erased before they got a leaf have none. */
export async function readErasures(
  db: Database,
  kind: Kind,
  rows: readonly LedgerRow[],
): Promise<Map<string, { digests: Buffer; remains: Buffer }>> {
  const found = await db
    .selectFrom("ledger_erasure")
    .select(["source", "key", typed(returned.text(), sql`row_at::text`).as("at"), "digests", "remains"])
    .where("kind", "=", kind.name)
    .where("source", "in", [...new Set(rows.map(({ source }) => source))])
    .where("key", "in", [...new Set(rows.map(({ key }) => key))])
    .execute();
  return new Map(found.map(({ source, key, at, ...kept }) => [`${source} ${key} ${timeText(at)}`, kept]));
}
