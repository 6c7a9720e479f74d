import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CollectionClient } from "../../src/collection-api/index.ts";
import { type Answer, startStubProvider } from "./stub-provider.ts";

const COLLECTION = "0f3a1c52-9c1b-4a53-8f0e-6d2b7a4c9e10";

/** The page that `url` asks for, cut from a list as it stands now. */
function pageOf(list: readonly string[], url: string): Answer {
  const query = new URL(url, "http://stub").searchParams;
  const [page, pageSize] = [Number(query.get("page")), Number(query.get("pageSize"))];
  const items = list.slice((page - 1) * pageSize, page * pageSize).map((id) => ({ id, status: "Paid" }));
  const hasNextPage = page * pageSize < list.length;
  const data = { items, page, pageSize, totalCount: list.length, hasNextPage, hasPreviousPage: page > 1 };
  return { body: { status: "success", message: "", data } };
}

/** Reads all of a list that `change` changes before the n-th request (from 0) is answered. */
async function readAll(
  pageSize: number,
  list: string[],
  change: (request: number, stop: AbortController) => void,
) {
  let requests = 0;
  const stop = new AbortController();
  const { signal } = stop;
  await using provider = await startStubProvider(({ url }) => {
    change(requests++, stop);
    return pageOf(list, url);
  });
  const client = new CollectionClient({ baseUrl: provider.url, apiKey: "key", retries: 0 });
  const ids: string[] = [];
  let error: unknown;
  try {
    for await (const { id } of client.iterateInvoices(COLLECTION, { pageSize }, { signal })) ids.push(id);
  } catch (thrown) {
    error = thrown;
  }
  await client.close();
  return { ids, error, requests };
}

async function readWhole(client: CollectionClient): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of client.iterateInvoices(COLLECTION)) ids.push(id);
  return ids;
}

const names = (count: number) => Array.from({ length: count }, (_, number) => `invoice-${number}`);

describe("iterating over a list", () => {
  it("yields each invoice of a list that stands still once, in its order", async () => {
    const list = names(7);
    expect((await readAll(3, list, () => {})).ids).toEqual(list);
  });

  it("asks once for a list of one page, and for an empty one", async () => {
    expect(await readAll(3, names(3), () => {})).toMatchObject({ ids: names(3), requests: 1 });
    expect(await readAll(3, [], () => {})).toMatchObject({ ids: [], requests: 1 });
  });

  it("ends in the middle of a list when it is stopped", async () => {
    const stopped = await readAll(3, names(9), (request, stop) => request === 1 && stop.abort());
    expect(stopped).toMatchObject({ ids: names(3), error: { kind: "aborted" }, requests: 2 });
  });

  it("reads again when totalCount changes, although no page looks different", async () => {
    const { ids, requests } = await readAll(3, names(9), () => {});
    const list = names(9);
    const changed = await readAll(3, list, (request) => request === 1 && list.pop());
    expect(changed.ids).toEqual(ids.slice(0, 8));
    expect(changed.requests).toBe(requests + 2);
  });

  it("says that the list is unstable after three more readings", async () => {
    const list = names(9);
    const { ids, error, requests } = await readAll(3, list, (request) => list.unshift(`new-${request}`));
    expect(error).toMatchObject({ kind: "list_unstable", next: "retry" });
    expect([new Set(ids).size, requests]).toEqual([ids.length, 8]);
  });

  it("does not read forever where the provider ignores the page", async () => {
    await using provider = await startStubProvider(() => pageOf(names(9), "/?page=1&pageSize=3"));
    const client = new CollectionClient({ baseUrl: provider.url, apiKey: "key" });
    await expect(readWhole(client)).rejects.toMatchObject({ kind: "list_unstable" });
    await client.close();
  });

  it("passes the error of a page on", async () => {
    await using provider = await startStubProvider(() => ({ status: 403, body: {} }));
    const client = new CollectionClient({ baseUrl: provider.url, apiKey: "key" });
    const reading = readWhole(client);
    await expect(reading).rejects.toMatchObject({ kind: "key_refused" });
    await client.close();
  });

  it("yields what stays exactly once, whatever single change happens at whatever moment", async () => {
    const change = fc.record({
      request: fc.nat(8),
      leaves: fc.option(fc.nat(10)),
      comes: fc.option(fc.nat(11)),
    });
    await fc.assert(
      fc.asyncProperty(change, async ({ request: moment, leaves, comes }) => {
        const list = names(11);
        const { ids, error } = await readAll(3, list, (request) => {
          if (request !== moment) return;
          if (leaves !== null) list.splice(leaves, 1);
          if (comes !== null) list.splice(comes, 0, "newcomer");
        });
        expect(error).toBeUndefined();
        expect(new Set(ids).size).toBe(ids.length);
        const staying = names(11).filter((_, index) => index !== leaves);
        expect(ids).toEqual(expect.arrayContaining(staying));
      }),
      { numRuns: 40 },
    );
  });
});
