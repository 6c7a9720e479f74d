import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type AdminApi, adminApi, OPERATOR, READER } from "../support/admin.ts";
import { openSession } from "../support/database.ts";

/** Makes every reading of invoices wait, until the returned function is called. */
async function holdInvoices({ around }: AdminApi): Promise<() => Promise<unknown>> {
  const holding = await openSession(around.databaseUrl);
  await holding.query("begin; lock table invoice in access exclusive mode");
  return () => holding.query("rollback");
}

describe("one caller's requests (G8, G11)", () => {
  it("keep nobody else from an answer, however many and however slow they are", async () => {
    const api = await adminApi();
    const release = await holdInvoices(api);
    const [answered, refused]: string[][] = [[], []];
    const readings = Array.from({ length: 60 }, async () => {
      const { status, headers } = await api.call("GET", "/invoices", undefined, READER);
      (status === 200 ? answered : refused)?.push(`${status} ${headers.get("retry-after")}`);
    });
    await vi.waitFor(() => expect(refused).toEqual(Array(18).fill("429 1")));
    expect(await api.call("GET", "/audit", undefined, OPERATOR)).toMatchObject({ status: 200 });
    await release();
    await Promise.all(readings);
    expect(answered).toHaveLength(42);
  });

  it("leave room for others' streams", async () => {
    const api = await adminApi();
    const leaving = new AbortController();
    onTestFinished(() => leaving.abort());
    const listen = (token: string) =>
      fetch(`${api.relay.url}/admin/v1/live`, {
        headers: { authorization: `Bearer ${token}` },
        signal: leaving.signal,
      });
    const own = await Promise.all(Array.from({ length: 50 }, () => listen(READER)));
    const statuses = own.map(({ status }) => status);
    expect([statuses.filter((one) => one === 200).length, new Set(statuses)]).toEqual([
      20,
      new Set([200, 429]),
    ]);
    expect(await listen(OPERATOR)).toMatchObject({ status: 200 });
  });
});
