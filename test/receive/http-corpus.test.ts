import { describe, expect, it } from "vitest";
import { type Surroundings, startRelay, surroundings, type TestRelay, TOKEN } from "../support/relay.ts";
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
    const around = await surroundings();
    const relay = await startRelay(around.environment(), { http: true, workers: false });
    const wrong: string[] = [];
    for (const [index, callback] of corpus.entries()) {
      const problem = await check(index, callback, relay, around);
      if (problem !== null) wrong.push(`${callback.group}: ${callback.name}: ${problem}`);
    }
    expect(wrong).toEqual([]);
    expect(await relay.callback({ event: "ping" })).toHaveProperty("status", 200);
  });
});

async function check(
  index: number,
  callback: (typeof corpus)[number],
  relay: TestRelay,
  around: Surroundings,
): Promise<string | null> {
  const { kind, ids, foundBy, status } = callback.expected;
  const query = callback.query === "" ? "" : `?${callback.query}`;
  const answer = await sendRaw(relay.url, {
    method: callback.method,
    target: `/callbacks/${TOKEN}${callback.path}${query}`,
    headers: { ...callback.headers, "x-corpus": String(index) },
    body: callback.body,
  });
  if (answer.status !== status) return `answered ${answer.status}, not ${status}`;
  const rows = await around.query<{
    body: Buffer;
    query: string;
    invoice_ids: string[];
    found_by: string | null;
    verdict: string | null;
  }>(
    `select body, query, invoice_ids::text[] as invoice_ids, found_by, verdict from callback
     where exists (select from json_array_elements(headers) as h where h->>0 = 'x-corpus' and h->>1 = $1)`,
    [String(index)],
  );
  if (kind === "too_large") return rows.length === 0 ? null : "recorded although it is too large";
  const [row] = rows;
  if (row === undefined || rows.length > 1) return `${rows.length} rows`;
  if (!row.body.equals(callback.body)) return "other bytes were recorded than were sent";
  if (row.query !== callback.query) return "another query was recorded";
  if (JSON.stringify(row.invoice_ids) !== JSON.stringify(ids)) return `ids ${row.invoice_ids}`;
  if (row.found_by !== foundBy) return `found by ${row.found_by}`;
  if (row.verdict !== VERDICTS[kind]) return `verdict ${row.verdict}`;
  const asked = await around.query("select from confirmation where invoice_id = any($1::uuid[])", [ids]);
  return asked.length === new Set(ids).size ? null : `${asked.length} confirmations`;
}
