import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { certifyPeriod } from "../../../src/pipeline/reconcile/on-request.ts";
import { dayOf } from "../../../src/platform/values/time.ts";
import { collectionApiProvider } from "../../../src/provider/collection-api-provider.ts";
import { refusing, startListProvider } from "./list-provider.ts";
import { midnight } from "./prove-period.ts";
import { books, daysAgo } from "./relay-books.ts";

/** Two sources, the first of which answers for its list only once it may. */
async function slowAndQuick() {
  const given = await books();
  const quick = await startListProvider();
  const provider = collectionApiProvider({ baseUrl: quick.url, apiKey: "key" });
  onTestFinished(() => provider.close());
  await given.query("insert into source (name, first_served_at) values ('quick', $1)", [daysAgo(30)]);
  quick.invoices.push({ id: randomUUID(), createdAt: daysAgo(3), paidAt: daysAgo(2) });
  const { promise, resolve: mayAnswer } = Promise.withResolvers<void>();
  onTestFinished(() => mayAnswer());
  given.provider.beforePage = () => promise;
  const certified = (...sources: (typeof given.source)[]) =>
    certifyPeriod(given.context, {
      ...{ sources, from: dayOf(midnight(5)), to: dayOf(midnight(1)), signal: given.context.signal },
    });
  return { given, quick: { ...given.source, name: "quick", provider }, certified, mayAnswer };
}

describe("a run on request over several sources", () => {
  it("certifies one while another's list waits, and tells them in their order (G11)", async () => {
    const { given, quick, certified, mayAnswer } = await slowAndQuick();
    const results = certified(given.source, quick);
    await vi.waitFor(async () =>
      expect(await given.query("select source from certificate where state = 'done'")).toEqual([
        { source: "quick" },
      ]),
    );
    mayAnswer();
    expect(await results).toMatchObject([
      { source: "default", result: "equal" },
      { source: "quick", result: "not_equal" },
    ]);
  });

  it("certifies the one whose list can be read, and tells the error of the other", async () => {
    const { given, quick, certified, mayAnswer } = await slowAndQuick();
    mayAnswer();
    given.provider.faults = [refusing(401)];
    await expect(certified(given.source, quick)).rejects.toMatchObject({ refusal: { kind: "key_refused" } });
    expect(await given.query("select source, result from certificate")).toEqual([
      { source: "quick", result: "not_equal" },
    ]);
  });
});
