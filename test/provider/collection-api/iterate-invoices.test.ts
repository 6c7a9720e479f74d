import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Answer, ID, withProvider } from "./stub-provider.ts";

/** The page that `url` asks for, cut from a list as it stands now. */
function pageOf(list: readonly string[], url: string): Answer {
  const query = new URL(url, "http://stub").searchParams;
  const [page, pageSize] = [Number(query.get("page")), Number(query.get("pageSize"))];
  const items = list.slice((page - 1) * pageSize, page * pageSize).map((id) => ({ id, status: "Paid" }));
  const hasNextPage = page * pageSize < list.length;
  const data = { items, page, pageSize, totalCount: list.length, hasNextPage, hasPreviousPage: page > 1 };
  return { body: { status: "success", message: "", data } };
}

/** Reads all of a list, in pages of three, that `change` changes before the n-th request (from 0) is answered. */
async function readAll(list: string[], change: (request: number) => void) {
  const { client, provider } = await withProvider(
    ({ url }) => {
      change(provider.asked.length - 1);
      return pageOf(list, url);
    },
    { retries: 0 },
  );
  const ids: string[] = [];
  let error: unknown;
  try {
    for await (const { id } of client.iterateInvoices(ID, { pageSize: 3 })) ids.push(id);
  } catch (thrown) {
    error = thrown;
  }
  return { ids, error, requests: provider.asked.length };
}

const names = (count: number) => Array.from({ length: count }, (_, number) => `invoice-${number}`);

describe("iterating over a list", () => {
  it.each([
    [3, 1],
    [7, 5],
  ])("yields each of %i invoices once, in their order", async (count, requests) => {
    expect(await readAll(names(count), () => {})).toEqual({ ids: names(count), error: undefined, requests });
  });

  it("reads again when totalCount changes, although no page looks different", async () => {
    const list = names(9);
    const changed = await readAll(list, (request) => request === 1 && list.pop());
    expect(changed).toMatchObject({ ids: names(8), requests: 7 });
  });

  it("says that the list is unstable after three more readings", async () => {
    const list = names(9);
    const read = await readAll(list, (request) => list.unshift(`new-${request}`));
    expect(read).toMatchObject({ error: { kind: "list_unstable", next: "retry" }, requests: 8 });
    expect(new Set(read.ids).size).toBe(read.ids.length);
  });

  it("yields what stays exactly once, whatever single change happens at whatever moment", async () => {
    const anyChange = fc.record({
      moment: fc.nat(8),
      leaves: fc.option(fc.nat(10)),
      comes: fc.option(fc.nat(11)),
    });
    await fc.assert(
      fc.asyncProperty(anyChange, async ({ moment, leaves, comes }) => {
        const list = names(11);
        const { ids, error } = await readAll(list, (request) => {
          if (request !== moment) return;
          if (leaves !== null) list.splice(leaves, 1);
          if (comes !== null) list.splice(comes, 0, "newcomer");
        });
        expect(error).toBeUndefined();
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids).toEqual(expect.arrayContaining(names(11).filter((_, index) => index !== leaves)));
      }),
      { numRuns: 40 },
    );
  });
});
