import { type Kysely, sql } from "kysely";

/** The Merkle trees over the rows that matter (docs/ledger.md). */
export async function up(db: Kysely<unknown>): Promise<void> {
  // `peaks`: the roots of the perfect subtrees that the full tiles make, the largest first. `hashes`, `refs`,
  // `salts`: of the leaves that fill no tile yet. `reading`: how far the tables were read, on the row of `*`, whose
  // lock makes one process at a time build; there as well what the last check of everything new found
  // (`checked`) and when the next is due.
  await sql`
    create table ledger (
      size bigint not null default 0,
      at timestamptz not null default clock_timestamp(),
      source text not null,
      root bytea not null,
      peaks bytea not null default '',
      hashes bytea not null default '',
      refs bytea not null default '',
      salts bytea not null default '',
      reading json,
      check_at timestamptz not null default clock_timestamp(),
      checked json,
      constraint ledger_pkey primary key (source)
    ) with (fillfactor = 50);
    comment on table ledger is 'A Merkle tree for each source: its size, its root, and its last leaves.'`.execute(
    db,
  );

  // Written once, and touched again only by erasing, which zeroes a salt. `kinds`: a bit for each kind of leaf
  // that it holds; `times`: of its rows; `leaves`: their hashes, then their references; `leaves_rest`
  // and `salts_rest`: the bytes that fill no chunk out of line, which would waste part of a page; `answers`: the first 16 bits of the
  // invoice ids of its answers, by which erasing finds those that a newer one has replaced.
  await sql`
    create table ledger_tile (
      index integer not null,
      kinds integer not null,
      source text not null,
      times tstzrange not null,
      root bytea not null,
      leaves bytea not null,
      leaves_rest bytea not null,
      salts bytea not null,
      salts_rest bytea not null,
      answers integer[] not null,
      constraint ledger_tile_pkey primary key (source, index)
    );
    alter table ledger_tile alter column leaves set storage external,
      alter column leaves_rest set storage main,
      alter column salts set storage external, alter column salts_rest set storage main;
    create index ledger_tile_times on ledger_tile using gist (times);
    create index ledger_tile_answers on ledger_tile using gin (answers) where answers <> '{}';
    comment on table ledger_tile is
      '256 leaves of a tree: their hashes, the names of their rows, and the salts of these.'`.execute(db);

  // `digests`: 32 bytes for each field that can be erased, in the order of the kind; zeroes for null.
  // `remains`: SHA-256 of what stands there instead.
  await sql`
    create table ledger_erasure (
      row_at timestamptz not null,
      at timestamptz not null default clock_timestamp(),
      source text not null,
      kind text not null,
      key text not null,
      digests bytea not null,
      remains bytea not null,
      constraint ledger_erasure_pkey primary key (source, kind, key, row_at)
    );
    create index ledger_erasure_at on ledger_erasure using brin (at);
    comment on table ledger_erasure is 'What the leaf of an erased row says of the text that is gone.'`.execute(
    db,
  );

  // The ledger finds what is new by its time. A range is summarized once it is full, so inserts pay nothing.
  await sql`
    create index invoice_snapshot_recorded_at on invoice_snapshot using brin (recorded_at)
      with (autosummarize = on)`.execute(db);
}
