import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { ALARM_NAMES } from "../../src/platform/alarms/alarm-definitions.ts";
import { ownRelay, startHarness, startRelay } from "../support/relay.ts";

const WAIT = { interval: 100 };

/** Whose values are few: names from the settings, or words of this program. */
const BOUNDED = [
  ...["alarm", "check", "kind", "node", "outcome", "pool", "quantile", "result", "source", "state", "status"],
  ...["upstream", "verdict", "version", "what", "work", "worker", "le"],
  // Of Node's own metrics.
  ...["space", "type", "major", "minor", "patch"],
];

const pageOf = async ({ url }: { url: string }): Promise<string> => (await fetch(`${url}/metrics`)).text();

/** The series of counters and histograms. */
const countersIn = (page: string): (string | undefined)[] =>
  [...page.matchAll(/^(invoice_relay_\w+_(?:total|bucket|sum|count)(?:\{.*\})?) /gm)].map(([, name]) => name);

describe("a payment that is out", () => {
  it("is one line with callback, invoice, event and durations, and is counted in each histogram", async () => {
    const { harness, relay } = await ownRelay();
    const atStart = countersIn(await pageOf(relay));
    const id = harness.provider.paid();
    await relay.callback({ data: { id } });
    await fetch(`${relay.url}/callbacks/not-a-token`);
    const line = await vi.waitFor(() => {
      const said = relay.lines.filter(({ callbackToSnsSeconds }) => callbackToSnsSeconds !== undefined);
      expect(said).toHaveLength(1);
      return said[0];
    }, WAIT);
    const [callback] = await harness.query<{ id: string }>("select id from callback");
    const [event] = await harness.query<{ id: string }>("select id from event");
    expect(line).toMatchObject({
      ...{
        level: "info",
        callback: callback?.id,
        invoice: id,
        event: event?.id,
        source: "default",
        tries: 1,
      },
      topic: harness.topicArn,
      callbackToSnsSeconds: expect.any(Number),
      paymentToSnsSeconds: expect.any(Number),
    });
    // The page is kept for a second.
    const text = await vi.waitFor(async () => {
      const page = await pageOf(relay);
      for (const name of ["callback_to_sns", "payment_to_sns", "provider"])
        expect(page).toContain(`invoice_relay_${name}_seconds_count{source="default"} 1`);
      return page;
    }, WAIT);
    // Else `increase()` would miss the first of its kind.
    expect(countersIn(text)).toEqual(atStart);
    expect(text).toContain("invoice_relay_sns_seconds_count 1");
    expect(text).toContain("invoice_relay_callback_seconds_count 2");
    expect(text).toContain('invoice_relay_callbacks_total{status="404"} 1');
    expect(text).toContain('invoice_relay_sns_answers_total{outcome="answered"} 1');
    expect(text).toContain(
      `invoice_relay_upstream_state{work="publish",upstream="${harness.topicArn}",state="closed"} 1`,
    );
    expect(text).toMatch(/^invoice_relay_build_info\{version="[\d.]+",node="v\d+[\d.]+"\} 1$/m);
  });
});

it("has every alarm by name from the start, only labels of few values, and of a source when it was last read", async () => {
  const harness = await startHarness();
  const collection = randomUUID();
  await harness.query(
    "insert into source (name, first_served_at) values ('default', '2026-01-02T00:00:00Z')",
  );
  await harness.query(
    `insert into sweep (id, collection_id, source, state, finished_at)
     values (gen_random_uuid(), $1, 'default', 'done', '2026-01-03T00:00:00Z')`,
    [collection],
  );
  const environment = harness.environment({ COLLECTION_IDS: collection });
  const relay = await startRelay(environment, { http: true, workers: false });
  const text = await vi.waitFor(async () => {
    const page = await pageOf(relay);
    for (const [series, day] of [
      // Without a daily certificate: since when it is served.
      ['last_certificate_timestamp_seconds{source="default",result="none"}', 2],
      ['last_sweep_timestamp_seconds{source="default"}', 3],
    ] as const)
      expect(page).toContain(`invoice_relay_${series} ${Date.UTC(2026, 0, day) / 1_000}\n`);
    return page;
  }, WAIT);
  for (const alarm of ALARM_NAMES) {
    expect(text).toContain(`invoice_relay_alarms_open{alarm="${alarm}"} 0`);
    expect(text).toContain(`invoice_relay_alarms_total{alarm="${alarm}"} 0`);
  }
  const labels = [...text.matchAll(/[{,](\w+)="/g)].map(([, label]) => label);
  expect(labels.filter((label) => !BOUNDED.includes(String(label)))).toEqual([]);
});
