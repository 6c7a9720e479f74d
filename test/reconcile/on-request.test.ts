import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { dayOf } from "../../src/kit/time.ts";
import { collectionApiProvider } from "../../src/provider/collection-api-provider.ts";
import { certifyPeriod } from "../../src/reconcile/on-request.ts";
import { startListProvider } from "./list-provider.ts";
import { midnight } from "./prove-period.ts";
import { books, daysAgo } from "./relay-books.ts";

const signal = new AbortController().signal;

/** Two sources, the first of which answers for its list only once it may. */
async function slowAndQuick() {
  const given = await books();
  const quick = await startListProvider();
  const provider = collectionApiProvider({ baseUrl: quick.url, apiKey: "key" });
  onTestFinished(() => provider.close());
  const source = { ...given.source, name: "quick", provider };
  await given.query("insert into source (name, first_served_at) values ('quick', $1)", [daysAgo(30)]);
  quick.invoices.push({ id: randomUUID(), createdAt: daysAgo(3), paidAt: daysAgo(2) });
  const { promise, resolve: mayAnswer } = Promise.withResolvers<void>();
  onTestFinished(() => mayAnswer());
  given.provider.beforePage = () => promise;
  return { given, sources: [given.source, source], mayAnswer };
}

describe("a run on request over several sources", () => {
  const days = { from: dayOf(midnight(5)), to: dayOf(midnight(1)) };

  it("certifies one while another's list waits, and tells them in their order (G11)", async () => {
    const { given, sources, mayAnswer } = await slowAndQuick();
    const certified = certifyPeriod(given.context, { sources, ...days, signal });
    await vi.waitFor(async () =>
      expect(await given.query("select source from certificate where state = 'done'")).toEqual([
        { source: "quick" },
      ]),
    );
    mayAnswer();
    expect(await certified).toMatchObject([
      { source: "default", result: "equal" },
      { source: "quick", result: "not_equal" },
    ]);
  });

  it("certifies the one whose list can be read, beside the error of the other", async () => {
    const { given, sources, mayAnswer } = await slowAndQuick();
    mayAnswer();
    given.provider.faults = [(response) => void response.writeHead(401).end("{}")];
    expect(await certifyPeriod(given.context, { sources, ...days, signal })).toMatchObject([
      { source: "default", error: { code: "failed", message: expect.stringContaining("401") } },
      { source: "quick", result: "not_equal" },
    ]);
    const [alone] = sources;
    await expect(
      certifyPeriod(given.context, { sources: alone === undefined ? [] : [alone], ...days, signal }),
    ).rejects.toThrow("401");
  });
});
