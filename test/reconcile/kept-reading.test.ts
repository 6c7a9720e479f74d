import { describe, expect, it } from "vitest";
import { readClock } from "../../src/upstreams/source-row.ts";
import { midnight, place, prove } from "./prove-period.ts";
import { type Books, books } from "./relay-books.ts";

/** A period that is over in so many seconds, by Postgres' clock. */
async function overIn({ db, source }: Books, seconds: number) {
  const { now } = await readClock(db, source.name);
  return { from: midnight(20), to: new Date(now.getTime() + seconds * 1_000) };
}

async function over({ db, source }: Books, { to }: { to: Date }): Promise<void> {
  await expect.poll(async () => (await readClock(db, source.name)).now >= to).toBe(true);
}

describe("a certificate from lists that were read before its period was over", () => {
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
