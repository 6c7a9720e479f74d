import { type RawBuilder, sql } from "kysely";

/** How a column stands in a leaf (docs/ledger.md); `text` is whatever Postgres prints. */
export type ColumnType = "text" | "time" | "uuids" | "bytes";

/** What the key of a kind is made of, and so how it is packed. */
export type KeyPart = "uuid" | "number" | "text";

/** One kind of leaf: the rows of a table, and what a leaf says of each. */
export interface Kind {
  name: string;
  /** Stands for it in tiles: never changes, never used again. */
  code: number;
  table: string;
  /** The column by which its rows are found. With the key it names one version of a row. */
  time: string;
  key: Readonly<Record<string, KeyPart>>;
  /** Its time is the one inside its key, a UUIDv7: by that it is looked up. */
  timeInKey?: true;
  /** Those that a leaf covers. */
  columns: Readonly<Record<string, ColumnType>>;
  /** Of these a leaf holds salted digests, since erasing takes their text. */
  erasable?: readonly string[];
  /** Erasing writes these besides; they are null in the leaf of a row that was erased later. */
  marks?: readonly string[];
  /** Those that change by themselves and prove nothing. */
  uncovered?: readonly string[];
  /** A row gets a new version, with a new time, when it changes; else it never changes. */
  hasVersions?: true;
  /** Which rows get a leaf; all by default. */
  rows?: RawBuilder<boolean>;
  /** In the tree `*`: it belongs to no source. */
  isShared?: true;
}

/** Columns that are all of one type. */
const of = (type: ColumnType, names: string): Record<string, ColumnType> =>
  Object.fromEntries(names.split(" ").map((name) => [name, type]));

/** Every kind of leaf: everything about the ledger's contents derives from this list. */
export const KINDS: readonly Kind[] = [
  {
    name: "callback",
    code: 1,
    table: "callback",
    time: "received_at",
    key: { id: "uuid" },
    timeInKey: true,
    columns: {
      ...of("time", "received_at erased_at"),
      ...of("text", "id source method path query reference remote_address found_by verdict headers"),
      ...of("text", "erased_digest failed_check"),
      ...of("uuids", "invoice_ids also_named"),
      body: "bytes",
    },
    erasable: ["body", "headers", "path", "query", "reference", "remote_address"],
    marks: ["erased_at", "erased_digest"],
  },
  {
    name: "answer",
    code: 2,
    table: "invoice",
    time: "confirmed_at",
    key: { id: "uuid" },
    columns: {
      ...of("time", "created_at modified_at paid_at asked_at confirmed_at erased_at"),
      ...of("text", "id source status type collection_name title reference payment_method service_fee_payer"),
      ...of(
        "text",
        "amount service_charge vat total_amount settleable_amount payer_email_hash digest document",
      ),
    },
    erasable: ["document", "payer_email_hash", "reference", "title"],
    marks: ["erased_at"],
    hasVersions: true,
  },
  {
    name: "earlier_answer",
    code: 3,
    table: "invoice_snapshot",
    time: "recorded_at",
    key: { invoice_id: "uuid", id: "number" },
    columns: {
      ...of("time", "asked_at recorded_at erased_at"),
      ...of("text", "id invoice_id source status digest document"),
    },
    erasable: ["document"],
    marks: ["erased_at"],
  },
  {
    name: "verdict",
    code: 4,
    table: "confirmation",
    time: "settled_at",
    key: { invoice_id: "uuid" },
    columns: { ...of("time", "opened_at settled_at"), ...of("text", "invoice_id source opened_by verdict") },
    uncovered: (
      "lease_token callback_id requested_at due_at asked_at claimed_until released_at dismissed_at erased_at " +
      "requests attempt faults record_only priority state traceparents last_error last_answer " +
      "listed_digest open_since"
    ).split(" "),
    hasVersions: true,
    // What their index holds. Ids that the provider does not know are forgotten after a week.
    rows: sql<boolean>`erased_at is null and state in ('done', 'dead')
      and verdict is distinct from 'unknown_invoice'`,
  },
  {
    name: "event",
    code: 5,
    table: "event",
    time: "created_at",
    key: { id: "uuid" },
    columns: {
      ...of("time", "created_at erased_at"),
      ...of("text", "id invoice_id source type invoice_type collection_name payload answer_digest"),
      ...of("text", "erased_digest"),
    },
    erasable: ["payload"],
    marks: ["erased_at", "erased_digest"],
  },
  {
    name: "acceptance",
    code: 6,
    table: "publication",
    time: "published_at",
    key: { event_id: "uuid", id: "number" },
    columns: {
      ...of("time", "published_at"),
      ...of("text", "id event_id source replay_id topic_arn message_id"),
      digest: "bytes",
    },
  },
  {
    name: "certificate",
    code: 7,
    table: "certificate",
    time: "finished_at",
    key: { id: "uuid" },
    columns: {
      ...of("time", "created_at finished_at window_from window_to"),
      ...of("text", "id source day time_zone currency deep state result document"),
      ...of("text", "paid stored published gaps differences paid_amount stored_amount published_amount"),
      ...of("uuids", "collection_ids"),
    },
    uncovered: ["lease_token", "due_at", "claimed_until", "faults", "last_error", "progress"],
    rows: sql<boolean>`state = 'done'`,
  },
  {
    name: "erasure",
    code: 8,
    table: "ledger_erasure",
    time: "at",
    key: { kind: "text", key: "text" },
    columns: {
      ...of("time", "row_at at"),
      ...of("text", "source kind key"),
      ...of("bytes", "digests remains"),
    },
  },
  {
    name: "act",
    code: 9,
    table: "audit_entry",
    time: "at",
    key: { id: "number" },
    columns: { ...of("time", "at"), ...of("text", "id invoice_id actor action subject detail") },
    isShared: true,
  },
];

/** The tree of what belongs to no source. */
export const SHARED = "*";

const BY_NAME = new Map(KINDS.map((kind) => [kind.name, kind]));
export const KINDS_BY_CODE = new Map(KINDS.map((kind) => [kind.code, kind]));

export function kindNamed(name: string): Kind {
  const kind = BY_NAME.get(name);
  if (kind === undefined) throw new Error(`The ledger has no kind "${name}"`);
  return kind;
}
