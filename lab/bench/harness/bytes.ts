import type { BenchDatabase } from "./stage.ts";

/** Bytes that Postgres writes for each payment. */
export interface BytesPerPayment {
  /** Of the write-ahead log. */
  wal: number;
  /** By which the files of tables and indexes grow. */
  disk: number;
  /** By table (without its indexes, with its TOAST) and by index; partitions together. */
  relations: Record<string, { wal?: number; disk: number }>;
  /** Part of `wal`: images of whole pages, each after a checkpoint, so the fewer the rarer checkpoints are. */
  wholePages?: number;
}

/** Every file of tables and indexes, and its owner. */
const RELATIONS = `
  select pg_relation_filenode(file.oid) as node, pg_relation_size(file.oid)::float8 as bytes,
    coalesce(pg_partition_root(owner.oid), owner.oid)::regclass::text as name
  from pg_class as file
  left join pg_index on pg_index.indexrelid = file.oid
  left join pg_class as toasted on toasted.reltoastrelid = coalesce(pg_index.indrelid, file.oid)
  join pg_class as owner on owner.oid = coalesce(toasted.oid, file.oid)
  join pg_namespace on pg_namespace.oid = owner.relnamespace
  where file.relkind in ('r', 'i', 't') and nspname not in ('pg_catalog', 'information_schema')`;

const SIZES = `
  select name, sum(bytes) as bytes, pg_current_wal_flush_lsn()::text as position
  from (${RELATIONS}) as relation group by name`;

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

async function sizesOf({ query }: BenchDatabase) {
  const rows = await query<{ name: string; bytes: number; position: string }>(SIZES);
  return {
    sizes: new Map(rows.map(({ name, bytes }) => [name, bytes])),
    position: rows[0]?.position ?? "0/0",
  };
}

/**
 * Starts counting; the function that it returns gives the bytes since, divided by the payments.
 * @param walByRelation reads the log back afterwards, to know whose it is: a second for each 100 MB.
 */
export async function startBytesClock(
  database: BenchDatabase,
  { walByRelation }: { walByRelation: boolean },
): Promise<(payments: number) => Promise<BytesPerPayment>> {
  if (walByRelation) {
    await database.query("create extension if not exists pg_walinspect");
    // From here on no log is thrown away.
    await database.query("select pg_create_physical_replication_slot('bench', true)");
  }
  const before = await sizesOf(database);
  return async (payments) => {
    const after = await sizesOf(database);
    const range = [before.position, after.position];
    const [row] = await database.query<{ bytes: number }>(
      "select ($2::pg_lsn - $1::pg_lsn)::float8 as bytes",
      range,
    );
    const written: BytesPerPayment = { wal: (row?.bytes ?? 0) / payments, disk: 0, relations: {} };
    for (const [name, bytes] of after.sizes) {
      const disk = (bytes - (before.sizes.get(name) ?? 0)) / payments;
      written.relations[name] = { disk };
      written.disk += disk;
    }
    if (!walByRelation) return written;
    written.wholePages = 0;
    const logged = await database.query<{ name: string; bytes: number; images: number }>(WAL, range);
    await database.query("select pg_drop_replication_slot('bench')");
    for (const { name, bytes, images } of logged) {
      written.relations[name] = { disk: 0, ...written.relations[name], wal: bytes / payments };
      written.wholePages += images / payments;
    }
    return written;
  };
}
