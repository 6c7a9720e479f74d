import pg from "pg";

type Texts<Names extends string> = Record<Names, string>;

/** The relay's tables as the checker reads them; every time in ms since 1970. */
export interface Books {
  /** `sent_as`: the sender's `x-webhook-id` header, null if there was none; `body`: SHA-256, hex. */
  callbacks: (Texts<"id" | "source" | "method" | "query" | "body"> & {
    sent_as: string | null;
    invoice_ids: string[];
  })[];
  confirmations: (Texts<"source" | "invoice_id"> & {
    state: "due" | "claimed" | "done" | "dead";
    verdict: string | null;
    due_at: number;
    claimed_until: number | null;
  })[];
  /** The newest answer of each invoice (`newest`) and every other that differed, without erased ones. */
  answers: (Texts<"source" | "invoice_id"> & { newest: boolean; asked_at: number; document: Document })[];
  /** `erased`: its personal data was erased after it was published. */
  events: (Texts<"source" | "id" | "type" | "invoice_id" | "payload"> & { erased: boolean })[];
  outbox: (Texts<"source" | "event_id"> & { state: "due" | "claimed" | "held" | "dead" })[];
  publications: (Texts<"source" | "event_id" | "topic_arn" | "message_id"> & { replay_id: string | null })[];
  alarms: (Texts<"name" | "source" | "subject"> & { raised_at: number; cleared_at: number | null })[];
  sources: { name: string; paused_by: string | null }[];
  topics: { arn: string; paused_by: string | null }[];
  /** When the tables were read. */
  read_at: number;
}

type Document = Record<string, unknown>;

const ms = (column: string) => `round(extract(epoch from ${column}) * 1000, 3)::float8 as ${column}`;

/** Everything that the checker knows about the schema. */
const QUERIES: Record<Exclude<keyof Books, "read_at">, string> = {
  callbacks: `
    select id::text, source, method, query, encode(sha256(body), 'hex') as body, invoice_ids::text[],
      (select header ->> 1 from json_array_elements(headers) as header
      where header ->> 0 = 'x-webhook-id') as sent_as
    from callback`,
  confirmations: `
    select source, invoice_id::text, state, verdict, ${ms("due_at")}, ${ms("claimed_until")}
      from confirmation`,
  answers: `
    select source, id::text as invoice_id, true as newest, ${ms("asked_at")}, document from invoice
      where erased_at is null
    union all select source, invoice_id::text, false, ${ms("asked_at")}, document from invoice_snapshot
      where erased_at is null`,
  events: `
    select source, id::text, type, invoice_id::text, payload, erased_at is not null as erased from event`,
  outbox: `select source, event_id::text, state from outbox`,
  publications: `
    select source, event_id::text, topic_arn, message_id, replay_id::text from publication`,
  alarms: `select name, source, subject, ${ms("raised_at")}, ${ms("cleared_at")} from alarm`,
  sources: `select name, paused_by from source`,
  topics: `select arn, paused_by from topic`,
};

/** Reads all of it in one snapshot. */
export async function readBooks(url: string): Promise<Books> {
  return await withClient(url, async (client) => {
    await client.query("begin isolation level repeatable read");
    const books: Record<string, unknown> = { read_at: Date.now() };
    for (const [name, query] of Object.entries(QUERIES)) {
      // `union all`, because json has no equality.
      books[name] = (await client.query(query)).rows;
    }
    await client.query("commit");
    return books as unknown as Books;
  });
}

/**
 * How much is still open: confirmations due or claimed, outbox entries due or claimed, replays, and alarms
 * without a message.
 */
export async function countOpen(url: string): Promise<number> {
  const query = `
    select (select count(*) from confirmation
        where state = 'claimed' or (state = 'due' and due_at < now()))
      + (select count(*) from outbox where state in ('due', 'claimed'))
      + (select count(*) from replay where state = 'running')
      + (select count(*) from alarm
        where told_at is null or (cleared_at is not null and cleared_told_at is null)) as open`;
  return await withClient(url, async (client) => Number((await client.query(query)).rows[0].open));
}

async function withClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url, options: "-c timezone=UTC -c datestyle=ISO" });
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
