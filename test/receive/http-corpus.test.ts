import { describe, expect, it } from "vitest";
import { ownRelay, type TestRelay, TOKEN } from "../support/relay.ts";
import { loadCorpus } from "./corpus/load-corpus.ts";
import { sendRaw } from "./send-raw.ts";

/**
 * How a corpus entry's kind shows in the log: ids are confirmations, so they have no verdict of the
 * callback's own.
 */
const VERDICTS = { ids: null, ping: "ping", unreadable: "unreadable" } as const;

const corpus = loadCorpus();

describe("every callback of the corpus, over HTTP", () => {
  // One relay for all: what is in the corpus must not disturb its neighbours either.
  it("is answered as its file says, its bytes kept as sent, its ids asked for (G1)", async () => {
    const { around, relay } = await ownRelay({}, { http: true, workers: false });
    const wrong: string[] = [];
    const say = (index: number, problem: string | null) => {
      if (problem !== null) wrong.push(`${corpus[index]?.group}: ${corpus[index]?.name}: ${problem}`);
    };
    for (const [index, callback] of corpus.entries()) say(index, await send(index, callback, relay));
    const rows = await around.query<Row>(
      `select h->>1 as index, body, query, invoice_ids::text[] as invoice_ids, found_by, verdict
       from callback, json_array_elements(headers) as h where h->>0 = 'x-corpus'`,
    );
    const asked = await around.query<{ id: string }>("select invoice_id::text as id from confirmation");
    const ids = new Set(asked.map(({ id }) => id));
    for (const [index, callback] of corpus.entries())
      say(
        index,
        kept(
          callback,
          rows.filter((row) => row.index === String(index)),
          ids,
        ),
      );
    expect(wrong).toEqual([]);
    expect(await relay.callback({ event: "ping" })).toHaveProperty("status", 200);
  });
});

type Callback = (typeof corpus)[number];

interface Row {
  index: string;
  body: Buffer;
  query: string;
  invoice_ids: string[];
  found_by: string | null;
  verdict: string | null;
}

async function send(index: number, callback: Callback, relay: TestRelay): Promise<string | null> {
  const query = callback.query === "" ? "" : `?${callback.query}`;
  const answer = await sendRaw(relay.url, {
    method: callback.method,
    target: `/callbacks/${TOKEN}${callback.path}${query}`,
    headers: { ...callback.headers, "x-corpus": String(index) },
    body: callback.body,
  });
  const { status } = callback.expected;
  return answer.status === status ? null : `answered ${answer.status}, not ${status}`;
}

function kept(callback: Callback, rows: readonly Row[], asked: ReadonlySet<string>): string | null {
  const { kind, ids, foundBy } = callback.expected;
  if (kind === "too_large") return rows.length === 0 ? null : "recorded although it is too large";
  const [row] = rows;
  if (row === undefined || rows.length > 1) return `${rows.length} rows`;
  if (!row.body.equals(callback.body)) return "other bytes were recorded than were sent";
  if (row.query !== callback.query) return "another query was recorded";
  if (JSON.stringify(row.invoice_ids) !== JSON.stringify(ids)) return `ids ${row.invoice_ids}`;
  if (row.found_by !== foundBy) return `found by ${row.found_by}`;
  if (row.verdict !== VERDICTS[kind]) return `verdict ${row.verdict}`;
  const missing = ids.filter((id) => !asked.has(id));
  return missing.length === 0 ? null : `nobody asks for ${missing}`;
}
