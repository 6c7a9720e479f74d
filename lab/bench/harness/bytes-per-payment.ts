import type { BenchDatabase } from "./bench-database.ts";

/** What Postgres writes for each payment, in bytes. */
export interface BytesPerPayment {
  /** Of the write-ahead log. */
  wal: number;
  /** By which the files of tables and indexes grow. */
  disk: number;
  /** By table (without its indexes, with what it keeps out of line) and by index; partitions together. */
  relations: Record<string, { wal?: number; disk: number }>;
  /**
   * Part of `wal`: images of whole pages, each after a checkpoint, so the fewer the longer between
   * checkpoints.
   */
  wholePages?: number;
}

export interface BytesOptions {
  /** Read the log back afterwards, to know whose it is: takes Postgres a second for each 100 MB. */
  walByRelation: boolean;
}

/** Every file of the relay's (and the queues') tables and indexes, and whose it is. */
const RELATIONS = `
  select pg_relation_filenode(file.oid) as node, pg_relation_size(file.oid)::float8 as bytes,
    coalesce(pg_partition_root(owner.oid), owner.oid)::regclass::text as name
  from pg_class as file
  left join pg_index on pg_index.indexrelid = file.oid
  left join pg_class as toasted on toasted.reltoastrelid = coalesce(pg_index.indrelid, file.oid)
  join pg_class as owner on owner.oid = coalesce(toasted.oid, file.oid)
  join pg_namespace on pg_namespace.oid = owner.relnamespace
  where file.relkind in ('r', 'i', 't') and nspname not in ('pg_catalog', 'information_schema')`;

const SIZES = `select name, sum(bytes) as bytes from (${RELATIONS}) as relation group by name`;

/** A record that touches several pages counts for the first. */
const WAL = `
  with record as (
    select (array_agg(relfilenode order by block_id))[1] as node, min(record_length) as bytes,
      sum(block_fpi_length) as images
    from pg_get_wal_block_info($1, $2, false)
    where reldatabase = (select oid from pg_database where datname = current_database())
    group by start_lsn),
  relation as (${RELATIONS})
  select coalesce(name, 'catalog') as name, sum(record.bytes)::float8 as bytes, sum(images)::float8 as images
  from record left join relation using (node) group by 1`;

/** As soon as it is there, no log is thrown away. */
const KEEP_LOG = "select pg_create_physical_replication_slot('bench', true)";
const LET_LOG_GO = "select pg_drop_replication_slot('bench')";

/** Starts counting; the function that it returns gives what was written since, divided by the payments. */
export async function startBytesClock(
  database: BenchDatabase,
  { walByRelation }: BytesOptions,
): Promise<(payments: number) => Promise<BytesPerPayment>> {
  if (walByRelation) {
    await database.query("create extension if not exists pg_walinspect");
    await database.query(KEEP_LOG);
  }
  const before = await sizesOf(database);
  const from = await position(database);
  return async (payments) => {
    const to = await position(database);
    const after = await sizesOf(database);
    const [row] = await database.query<{ bytes: number }>(
      "select ($2::pg_lsn - $1::pg_lsn)::float8 as bytes",
      [from, to],
    );
    const grown = new Map([...after].map(([name, bytes]) => [name, bytes - (before.get(name) ?? 0)]));
    const relations: BytesPerPayment["relations"] = {};
    for (const [name, bytes] of grown) relations[name] = { disk: bytes / payments };
    const sum = [...grown.values()].reduce((all, bytes) => all + bytes, 0);
    const written: BytesPerPayment = { wal: (row?.bytes ?? 0) / payments, disk: sum / payments, relations };
    if (!walByRelation) return written;
    written.wholePages = 0;
    for (const { name, bytes, images } of await readLog(database, from, to)) {
      relations[name] = { disk: 0, ...relations[name], wal: bytes / payments };
      written.wholePages += images / payments;
    }
    return written;
  };
}

async function readLog(database: BenchDatabase, from: string, to: string) {
  try {
    return await database.query<{ name: string; bytes: number; images: number }>(WAL, [from, to]);
  } finally {
    await database.query(LET_LOG_GO);
  }
}

async function sizesOf(database: BenchDatabase): Promise<Map<string, number>> {
  const rows = await database.query<{ name: string; bytes: number }>(SIZES);
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

async function position(database: BenchDatabase): Promise<string> {
  const [row] = await database.query<{ lsn: string }>("select pg_current_wal_flush_lsn()::text as lsn");
  return row?.lsn ?? "0/0";
}
