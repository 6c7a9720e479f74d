import { describe, expect, it } from "vitest";
import { PLAIN } from "./list-provider.ts";
import { named, place, prove } from "./prove-period.ts";
import { books } from "./relay-books.ts";

const TEST_TOPIC = "arn:aws:sns:us-east-1:123456789012:invoice-events-test";
const HELD = { type: "Test", came: 3, outbox: "state = 'held'" } as const;

/** What `erase`, or PERSONAL_DATA_RETENTION, leaves of an invoice. */
const ERASED = "erased_at = now(), document = json_build_object('id', id)";

describe("what a certificate takes for a Test invoice", () => {
  it("is not what a column alone says: an erased one is asked about (G10)", async () => {
    const given = await books();
    const id = await place(given, { came: 2, edited: `${ERASED}, type = 'Test'` });
    const certificate = await prove(given);
    expect(certificate).toMatchObject({ result: "not_equal", gaps: 1, test: { count: 0 } });
    expect(named(certificate)).toEqual({ [id]: "event_missing" });
  });

  it("is one that is erased, when the provider still says so", async () => {
    const given = await books();
    const id = await place(given, { ...HELD, edited: ERASED });
    expect(await prove(given)).toMatchObject({ result: "equal", test: { count: 1 } });
    expect(given.provider.asked).toEqual([id]);
  });

  it("is not one that only the list of Live invoices shows", async () => {
    const given = await books();
    const id = await place(given, HELD);
    const [invoice] = given.provider.invoices;
    if (invoice !== undefined) invoice.type = "Live";
    const certificate = await prove(given);
    expect(certificate).toMatchObject({ result: "not_equal", gaps: 1 });
    expect(named(certificate)).toEqual({ [id]: "held" });
  });

  it.each([["Production"], [""], [null]])("is not one of type %j, whatever its event says", async (type) => {
    const given = await books();
    const asked = await place(given, { type, came: 2, confirmation: "state = 'due', verdict = 'pending'" });
    const dead = await place(given, { type, came: 2, confirmation: "state = 'dead', verdict = 'pending'" });
    const held = await place(given, { ...HELD, typeNow: type });
    const certificate = await prove(given);
    expect(certificate).toMatchObject({ result: "not_equal", gaps: 3, test: { count: 0 } });
    expect(named(certificate)).toEqual({ [asked]: "not_confirmed", [dead]: "dead", [held]: "held" });
  });

  it("is none of which the provider now says that it is Live: its topic is the live one", async () => {
    const given = await books();
    given.source.testTopicArn = TEST_TOPIC;
    given.provider.reading = { ...PLAIN, ignoresFilters: true };
    const id = await place(given, { type: "Test", came: 4 });
    await given.query("update publication set topic_arn = $1", [TEST_TOPIC]);
    expect(await prove(given)).toMatchObject({ result: "equal", test: { count: 1 } });
    const [invoice] = given.provider.invoices;
    if (invoice !== undefined) invoice.type = "Live";
    const certificate = await prove(given, { deep: true });
    expect(certificate).toMatchObject({ result: "not_equal", gaps: 1, test: { count: 0 } });
    expect(named(certificate)).toMatchObject({ [id]: "wrong_topic" });
  });
});

describe("a payment whose type the provider has changed since its event was made", () => {
  /** The provider says another type now, and the relay has confirmed it. */
  async function changed(from: "Live" | "Test", topic: string) {
    const given = await books();
    given.source.testTopicArn = TEST_TOPIC;
    const id = await place(given, { type: from, typeNow: from === "Live" ? "Test" : "Live" });
    await given.query("update publication set topic_arn = $1", [topic]);
    return { ...given, id };
  }

  it("from Test to Live is a gap until a person replays its event to the live topic, then noted (G10)", async () => {
    const given = await changed("Test", TEST_TOPIC);
    const red = await prove(given);
    expect(red).toMatchObject({ result: "not_equal", gaps: 1 });
    expect(named(red)).toEqual({ [given.id]: "wrong_topic" });
    await given.query(
      `insert into publication (source, event_id, topic_arn, message_id, digest, replay_id)
       select source, event_id, $1, 'again', digest, gen_random_uuid() from publication`,
      [given.source.liveTopicArn],
    );
    const green = await prove(given);
    expect(green).toMatchObject({ result: "equal", gaps: 0, total: { published: { count: 1 } } });
    expect(green.differences).toMatchObject([{ reason: "type_changed", weight: "note" }]);
  });
});
