import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CollectionNames, SourceProof } from "../../../src/pipeline/confirm/index.ts";
import type { UpstreamReport } from "../../../src/platform/upstreams/machine.ts";
import type { Answer, CollectionAnswer, Provider } from "../../../src/provider/provider.ts";

const FAULT = { kind: "fault", error: "it is down" } as const;
const NOT_FOUND = { kind: "not_found", inOwnWords: true, error: "does not exist" } as const;
const BARE = { ...NOT_FOUND, inOwnWords: false };
const named = (collectionName: string | null) =>
  ({ kind: "found", collection: { collectionName } }) as CollectionAnswer & { kind: "found" };
const invoice = { kind: "found" } as Answer;

/** A provider of which each answer is said beforehand; notes what it was asked for. */
function scripted(answers: { collections?: CollectionAnswer[]; invoices?: Answer[] }) {
  const asked: string[] = [];
  const provider = {
    async getCollection(id: string) {
      asked.push(`collection ${id}`);
      return answers.collections?.shift() ?? FAULT;
    },
    async askInvoice(id: string) {
      asked.push(`invoice ${id}`);
      return answers.invoices?.shift() ?? FAULT;
    },
  } as unknown as Provider;
  return { asked, provider };
}

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date", "performance"] }));
afterEach(() => void vi.useRealTimers());

describe("whether it is the provider itself that answers", () => {
  const proofOf = (
    answers: Parameters<typeof scripted>[0],
    { collectionIds = ["c"], known = null as string | null } = {},
  ) => {
    const { asked, provider } = scripted(answers);
    const knownInvoiceId = async () => known;
    return { asked, proof: new SourceProof({ provider, collectionIds, knownInvoiceId, timeoutMs: 1_000 }) };
  };

  it("is proven for a minute by any answer in its own envelope, and nothing is asked", async () => {
    for (const answer of [invoice, NOT_FOUND]) {
      const { asked, proof } = proofOf({});
      proof.note(answer);
      vi.advanceTimersByTime(59_999);
      expect(await proof.isProven()).toBe(true);
      expect(asked).toEqual([]);
      vi.advanceTimersByTime(1);
      expect(await proof.isProven()).toBe(false);
      expect(asked).toEqual(["collection c"]);
    }
  });

  it.each([[BARE], [FAULT]])("is not proven by %j", async (answer) => {
    const { proof } = proofOf({}, { collectionIds: [] });
    proof.note(answer);
    expect(await proof.isProven()).toBe(false);
  });

  it.each([
    [["c"], [named("Term 1")], ["collection c"]],
    [["c"], [BARE], ["collection c", "invoice i"]],
    [[], [], ["invoice i"]],
  ])(
    "is proven by a collection that is known to exist, else by an invoice: %j",
    async (collectionIds, collections, asks) => {
      const { asked, proof } = proofOf({ collections, invoices: [invoice] }, { collectionIds, known: "i" });
      expect(await proof.isProven()).toBe(true);
      expect(asked).toEqual(asks);
    },
  );

  it("is tried at once, then every five seconds, and once for all who want to know", async () => {
    const { asked, proof } = proofOf({});
    expect(await Promise.all([proof.isProven(), proof.isProven()])).toEqual([false, false]);
    expect(asked).toHaveLength(1);
    vi.advanceTimersByTime(4_999);
    expect(await proof.isProven()).toBe(false);
    expect(asked).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(await proof.isProven()).toBe(false);
    expect(asked).toHaveLength(2);
  });
});

describe("the names of the collections that are published", () => {
  const namesOf = (collectionIds: string[], ...collections: CollectionAnswer[]) => {
    const { asked, provider } = scripted({ collections });
    const signals: UpstreamReport[] = [];
    const upstream = { note: async (signal: UpstreamReport) => signals.push(signal) > 0 };
    const names = new CollectionNames({ provider, upstream, collectionIds, timeoutMs: 1_000 });
    return { asked, signals, names };
  };
  const all = (...names: string[]) => ({ names: new Set(names), unread: null });

  it("are no restriction without COLLECTION_IDS", async () => {
    const { asked, names } = namesOf([]);
    expect(await names.namesFor("Term 1")).toBeNull();
    expect(asked).toEqual([]);
  });

  it("are read once in five minutes, all of them; one without a name names nothing", async () => {
    const answers = [named("Term 1"), named(null), named("Term 1"), named("Term 2")];
    const { asked, names } = namesOf(["a", "b"], ...answers);
    expect(await names.namesFor("Term 1")).toEqual(all("Term 1"));
    vi.advanceTimersByTime(300_000);
    await names.namesFor("Term 1");
    expect(asked).toEqual(["collection a", "collection b"]);
    vi.advanceTimersByTime(1);
    expect(await names.namesFor("Term 1")).toEqual(all("Term 1", "Term 2"));
  });

  it("are read again before one counts as foreign, once a second at most", async () => {
    const { asked, names } = namesOf(["a"], named("Term 1"), named("Term 2"), named("Term 2"));
    await names.namesFor("Term 1");
    vi.advanceTimersByTime(1_000);
    expect(await names.namesFor("Term 2")).toEqual(all("Term 1"));
    expect(asked).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(await names.namesFor("Term 2")).toEqual(all("Term 2"));
    expect(asked).toHaveLength(2);
  });

  it("of those that can be read stand, when another cannot; it is read again for a name that does not fit", async () => {
    const { asked, names } = namesOf(["a", "b"], named("Term 1"), FAULT, named("Term 1"), named("Term 2"));
    expect(await names.namesFor("Term 1")).toEqual({ names: new Set(["Term 1"]), unread: FAULT });
    vi.advanceTimersByTime(1_001);
    expect(await names.namesFor("Term 1")).toEqual({ names: new Set(["Term 1"]), unread: FAULT });
    expect(asked).toHaveLength(2);
    expect(await names.namesFor("Term 2")).toEqual(all("Term 1", "Term 2"));
    // Read once, they stay known.
    vi.advanceTimersByTime(300_001);
    expect(await names.namesFor("Term 1")).toEqual({ ...all("Term 1", "Term 2"), unread: FAULT });
  });

  it("are read again when that could not be written down", async () => {
    const limited = { kind: "rate_limited", retryAfterMs: null, error: "429" } as const;
    const { signals, names } = namesOf(["a"], limited, named("Term 1"));
    vi.spyOn(signals, "push").mockImplementationOnce(() => {
      throw new Error("the database is away");
    });
    await expect(names.namesFor("Term 1")).rejects.toThrow("the database is away");
    expect(await names.namesFor("Term 1")).toEqual(all("Term 1"));
  });

  it("refused with a 429 hold up the source, once for each reading; nothing else does", async () => {
    const limited = { kind: "rate_limited", retryAfterMs: 7_000, error: "429" } as const;
    const { signals, names } = namesOf(["a", "b"], limited, limited);
    await Promise.all([names.namesFor("Term 1"), names.namesFor("Term 1")]);
    await names.namesFor("Term 2");
    expect(signals).toEqual([{ ...limited, kind: "slow_down" }]);
    const quiet = namesOf(["a", "b", "c"], named("Term 1"), FAULT, NOT_FOUND);
    await quiet.names.namesFor("Term 1");
    expect(quiet.signals).toEqual([]);
  });
});
