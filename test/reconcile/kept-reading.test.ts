import { describe, expect, it } from "vitest";
import { readClock } from "../../src/upstreams/source-row.ts";
import { midnight, named, place, prove } from "./prove-period.ts";
import { type Books, books } from "./relay-books.ts";

/** A period that is over in so many seconds, by Postgres' clock. */
async function overIn({ db, source }: Books, seconds: number) {
  const { now } = await readClock(db, source.name);
  return { from: midnight(20), to: new Date(now.getTime() + seconds * 1_000) };
}

async function over({ db, source }: Books, { to }: { to: Date }): Promise<void> {
  await expect.poll(async () => (await readClock(db, source.name)).now >= to).toBe(true);
}

/** The lists are read and kept; then the process stops. */
async function stopAfterReading(given: Books, changes: object): Promise<void> {
  const stopping = new AbortController();
  const onProgress = ({ step }: { step: string }) => void (step === "invoices" && stopping.abort());
  for (let n = 0; n < 9; n += 1) await place(given);
  await expect(
    prove(given, { ...changes, deep: true, signal: stopping.signal, onProgress }),
  ).rejects.toThrow();
  expect(
    await given.query(
      "select 1 from certificate where state = 'due' and (progress -> 'reading' ->> 'pages')::int > 0",
    ),
  ).toHaveLength(1);
}

describe("a certificate from lists that were read before its period was over", () => {
  it("is not made the next morning from what was read the evening before (G10)", async () => {
    const given = await books();
    const later = await overIn(given, 300);
    await stopAfterReading(given, { window: later });
    // It is over now instead of in five minutes, which is after that reading began.
    const window = { ...later, to: (await readClock(given.db, given.source.name)).now };
    await given.query("update certificate set window_to = $1", [window.to]);
    // Its callback is lost, and its list shows it.
    const late = await place(given, { came: 0, paidAt: new Date(window.to.getTime() - 1) });
    const certificate = await prove(given, { window, deep: true });
    expect(certificate).toMatchObject({ result: "not_equal", gaps: 1, refusals: [] });
    expect(named(certificate)).toEqual({ [late]: "missing" });
  });

  it("is refused when the period ended meanwhile, and says to run it again (G10)", async () => {
    const given = await books();
    await place(given);
    const window = await overIn(given, 4);
    // The newest days are read first: what is paid after that stands on a page that was already read.
    given.provider.beforePage = async () => {
      if (given.provider.queries.length > 1) await over(given, window);
    };
    const refused = await prove(given, { window });
    expect(refused).toMatchObject({
      result: "refused",
      refusals: [/not over when .* run the same command again/i],
    });
    expect(await prove(given, { window })).toMatchObject({ result: "equal", basis: { provisional: true } });
  });
});

describe("a certificate whose settings changed after its lists were read", () => {
  it("reads them again under the new ones: what counts as paid since then is not hidden (G10)", async () => {
    const given = await books();
    const settled = await place(given, { came: 0 });
    given.provider.invoices = given.provider.invoices.map((one) => ({ ...one, status: "Settled" }));
    await stopAfterReading(given, {});
    const source = { ...given.source, paidStatuses: ["Paid", "Settled"] };
    const certificate = await prove(given, { source, deep: true });
    expect(certificate).toMatchObject({ result: "not_equal", gaps: 1 });
    expect(named(certificate)).toEqual({ [settled]: "missing" });
  });
});
