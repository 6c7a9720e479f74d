import { randomUUID } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { type Surroundings, startRelay, surroundings } from "../support/relay.ts";
import { invoiceAnswer, NOT_FOUND, type Script, unpaidAnswer } from "../support/scripted-provider.ts";

const WAIT = { timeout: 15_000, interval: 20 };

const confirmation = async (around: Surroundings, id: string) =>
  (await around.query("select * from confirmation where invoice_id = $1", [id]))[0];

const timesAsked = (around: Surroundings, id: string) =>
  around.provider.requests.filter((path) => path.endsWith(id)).length;

/** Lets the ladder's next step be due now, instead of waiting for it. */
const hurry = (around: Surroundings, id: string) =>
  around.query("update confirmation set due_at = now() where invoice_id = $1 and state = 'due'", [id]);

const openAlarms = (around: Surroundings) =>
  around.query<{ name: string; subject: string; detail: string }>(
    "select name, subject, detail from alarm where cleared_at is null",
  );

describe("asking the provider", () => {
  it("asks again until Paid can be read, for a callback that came too early", async () => {
    const around = await surroundings();
    const id = randomUUID();
    around.provider.invoice(id, NOT_FOUND, unpaidAnswer(id), invoiceAnswer(id));
    const relay = await startRelay(around.environment());
    await relay.callback({ data: { id } });
    await vi.waitFor(async () => {
      await hurry(around, id);
      expect(await confirmation(around, id)).toMatchObject({ state: "done", verdict: "paid" });
    }, WAIT);
    expect(await around.query("select status from invoice_snapshot order by id")).toEqual([
      { status: "Unpaid" },
      { status: "Paid" },
    ]);
    expect(await around.query("select count(*)::int as events from event")).toEqual([{ events: 1 }]);
  });

  it("asks again when a callback comes while the provider is being asked (a GET covers only what was recorded before it)", async () => {
    const around = await surroundings();
    const id = randomUUID();
    let letGo = () => {};
    const held: Script = (_request, response) => {
      letGo = () =>
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify((unpaidAnswer(id) as { body: unknown }).body));
    };
    around.provider.invoice(id, held, invoiceAnswer(id));
    const relay = await startRelay(around.environment());
    await relay.callback({ data: { id } });
    await vi.waitFor(() => expect(timesAsked(around, id)).toBe(1), WAIT);
    await relay.callback({ data: { id } });
    letGo();
    // No ladder step in between: it is due at once.
    await vi.waitFor(
      async () =>
        expect(await confirmation(around, id)).toMatchObject({ state: "done", verdict: "paid", requests: 2 }),
      WAIT,
    );
    expect(timesAsked(around, id)).toBe(2);
  });

  it("a new callback starts the ladder anew, after not_paid too", async () => {
    const around = await surroundings();
    const id = randomUUID();
    around.provider.invoice(id, unpaidAnswer(id));
    const relay = await startRelay(around.environment());
    await relay.callback({ data: { id } });
    await vi.waitFor(async () => {
      await around.query(
        "update confirmation set due_at = now(), attempt = 8 where invoice_id = $1 and state = 'due' and attempt > 0",
        [id],
      );
      expect(await confirmation(around, id)).toMatchObject({ state: "done", verdict: "not_paid" });
    }, WAIT);
    await relay.callback({ data: { id } });
    await vi.waitFor(
      async () =>
        expect(await confirmation(around, id)).toMatchObject({
          state: "due",
          verdict: "pending",
          attempt: 1,
        }),
      WAIT,
    );
  });

  it("a slow answer delays nobody else", async () => {
    const around = await surroundings();
    const [slow, quick] = [randomUUID(), randomUUID()];
    around.provider.invoice(slow, () => undefined);
    around.provider.invoice(quick, invoiceAnswer(quick));
    const relay = await startRelay(around.environment({ CONFIRM_TIMEOUT: "60s" }));
    await relay.callback({ data: { id: slow } });
    await vi.waitFor(() => expect(timesAsked(around, slow)).toBe(1), WAIT);
    await relay.callback({ data: { id: quick } });
    await vi.waitFor(() => expect(around.sns.messages(around.topicArn)).toHaveLength(1), WAIT);
    expect(await confirmation(around, slow)).toMatchObject({ state: "claimed" });
  });

  it("a lease is extended while the work goes on, and only its holder writes (G6, G7)", async () => {
    const around = await surroundings();
    const id = randomUUID();
    let letGo = () => {};
    const held: Script = (_request, response) => {
      letGo = () =>
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(
            JSON.stringify((invoiceAnswer(id, { title: "From the lost lease" }) as { body: unknown }).body),
          );
    };
    around.provider.invoice(id, held, invoiceAnswer(id, { title: "From the new lease" }));
    const relay = await startRelay(around.environment({ LEASE_DURATION: "500ms", CONFIRM_TIMEOUT: "60s" }));
    await relay.callback({ data: { id } });
    const first = await vi.waitFor(async () => {
      const row = await confirmation(around, id);
      expect(row).toMatchObject({ state: "claimed" });
      return row;
    }, WAIT);
    await vi.waitFor(async () => {
      const row = await confirmation(around, id);
      expect(row?.lease_token).toBe(first?.lease_token);
      expect(row?.claimed_until.getTime()).toBeGreaterThan(first?.claimed_until.getTime() + 500);
    }, WAIT);
    // As if this worker had hung past its lease: the row goes back and is claimed anew.
    await around.query(
      "update confirmation set state = 'due', due_at = now(), lease_token = null, claimed_until = null where invoice_id = $1",
      [id],
    );
    await vi.waitFor(
      async () => expect(await confirmation(around, id)).toMatchObject({ state: "done", verdict: "paid" }),
      WAIT,
    );
    letGo();
    await vi.waitFor(() => expect(around.sns.messages(around.topicArn)).toHaveLength(1), WAIT);
    await relay.stop();
    expect(await around.query("select title from invoice")).toEqual([{ title: "From the new lease" }]);
    expect(await around.query("select count(*)::int as snapshots from invoice_snapshot")).toEqual([
      { snapshots: 1 },
    ]);
  });
});

describe("a provider that is not well", () => {
  it("answers 429 with Retry-After: the whole source waits, and no step of the ladder is spent", async () => {
    const around = await surroundings();
    const id = randomUUID();
    around.provider.invoice(
      id,
      { status: 429, body: { status: 429, message: "Slow down" }, headers: { "retry-after": "3600" } },
      invoiceAnswer(id),
    );
    const relay = await startRelay(around.environment());
    await relay.callback({ data: { id } });
    await vi.waitFor(async () => {
      const [source] = await around.query(
        "select extract(epoch from opens_at - now())::float8 as opens_in from source",
      );
      expect(source?.opens_in).toBeGreaterThan(3_500);
    }, WAIT);
    expect(await confirmation(around, id)).toMatchObject({ state: "due", attempt: 0, faults: 1 });
    await hurry(around, id);
    const other = randomUUID();
    await relay.callback({ data: { id: other } });
    await vi.waitFor(
      async () => expect(await confirmation(around, other)).toMatchObject({ state: "due" }),
      WAIT,
    );
    expect(timesAsked(around, id) + timesAsked(around, other)).toBe(1);
    await around.query("update source set opens_at = '-infinity'");
    await vi.waitFor(
      async () => expect(await confirmation(around, id)).toMatchObject({ verdict: "paid" }),
      WAIT,
    );
  });

  it.each<[string, Script]>([
    ["500", { status: 500, body: { status: 500, message: "Oops" } }],
    ["broken JSON", { status: 200, body: '{"status":200,"data":{"id"' }],
    [
      "half an answer",
      (_request, response) => {
        response.writeHead(200, { "content-length": "1000" }).write('{"status":');
        setImmediate(() => response.destroy());
      },
    ],
    ["a redirect", { status: 302, body: "", headers: { location: "http://127.0.0.1:1/" } }],
  ])(
    "answers %s: asked again by itself until it works, the alarm raised once and cleared",
    async (_, fault) => {
      const around = await surroundings();
      const ids = Array.from({ length: 8 }, () => randomUUID());
      around.provider.otherwise(fault);
      const relay = await startRelay(around.environment({ CONFIRM_TIMEOUT: "2s" }));
      for (const id of ids) await relay.callback({ data: { id } });
      await vi.waitFor(
        async () => expect(await openAlarms(around)).toMatchObject([{ name: "source_failing" }]),
        WAIT,
      );
      for (const id of ids) around.provider.invoice(id, invoiceAnswer(id));
      await vi.waitFor(async () => {
        await around.query("update source set opens_at = least(opens_at, now())");
        await around.query("update confirmation set due_at = now() where state = 'due'");
        expect(
          await around.query("select count(*)::int as paid from confirmation where verdict = 'paid'"),
        ).toEqual([{ paid: 8 }]);
      }, WAIT);
      await vi.waitFor(async () => expect(await openAlarms(around)).toEqual([]), WAIT);
    },
  );

  it("the breaker lets one question at a time try whether it works again", async () => {
    const around = await surroundings();
    around.provider.otherwise({ status: 503, body: { status: 503, message: "Down" } });
    const relay = await startRelay(around.environment());
    await Promise.all(Array.from({ length: 40 }, () => relay.callback({ data: { id: randomUUID() } })));
    await vi.waitFor(
      async () => expect(await openAlarms(around)).toMatchObject([{ name: "source_failing" }]),
      WAIT,
    );
    await vi.waitFor(
      async () =>
        expect(
          await around.query("select count(*)::int as claimed from confirmation where state = 'claimed'"),
        ).toEqual([{ claimed: 0 }]),
      WAIT,
    );
    const before = around.provider.requests.length;
    await around.query("update confirmation set due_at = now()");
    await around.query("update source set opens_at = now()");
    await vi.waitFor(async () => {
      expect(around.provider.requests.length).toBeGreaterThan(before);
      expect(await around.query("select opens_at > now() as shut from source")).toEqual([{ shut: true }]);
    }, WAIT);
    expect(around.provider.requests.length).toBe(before + 1);
  });

  it("answers outside the contract: kept as evidence, asked again, and the alarm is cleared by a good answer", async () => {
    const around = await surroundings();
    const id = randomUUID();
    around.provider.invoice(
      id,
      { status: 200, body: { status: 200, message: "ok", data: { id, status: "Paid" } } },
      invoiceAnswer(randomUUID()),
      invoiceAnswer(id),
    );
    const relay = await startRelay(around.environment());
    await relay.callback({ data: { id } });
    await vi.waitFor(
      async () => expect((await confirmation(around, id))?.last_answer).toContain('"status":"Paid"'),
      WAIT,
    );
    expect(await openAlarms(around)).toMatchObject([
      { name: "provider_answer_outside_contract", subject: id },
    ]);
    await hurry(around, id);
    await vi.waitFor(
      async () => expect((await confirmation(around, id))?.last_error).toContain("another id"),
      WAIT,
    );
    expect(await around.query("select 1 from event")).toEqual([]);
    await hurry(around, id);
    await vi.waitFor(
      async () =>
        expect(await confirmation(around, id)).toMatchObject({ verdict: "paid", last_answer: null }),
      WAIT,
    );
    await vi.waitFor(async () => expect(await openAlarms(around)).toEqual([]), WAIT);
  });

  it("a NUL in one answer breaks neither its row nor its neighbours in the batch", async () => {
    const around = await surroundings();
    const ids = Array.from({ length: 5 }, () => randomUUID());
    for (const [index, id] of ids.entries())
      around.provider.invoice(
        id,
        invoiceAnswer(
          id,
          index === 2 ? { title: "a\0b", billerMetaData: { "k\0": "\0" }, extra: "\ud800" } : {},
        ),
      );
    const relay = await startRelay(around.environment());
    await relay.callback(ids.map((id) => ({ data: { id } })));
    await vi.waitFor(
      async () =>
        expect(
          await around.query("select count(*)::int as paid from confirmation where verdict = 'paid'"),
        ).toEqual([{ paid: 5 }]),
      WAIT,
    );
    expect(await around.query("select title from invoice where id = $1", [ids[2]])).toEqual([
      { title: "a\uFFFDb" },
    ]);
  });

  it("an answer that Postgres refuses is set aside with its evidence, and its neighbours are stored", async () => {
    const around = await surroundings();
    // Nothing that passes the contract is refused today; this stands for what a later column might refuse.
    await around.query("alter table invoice add constraint refuses_one check (title <> 'Refused')");
    const ids = Array.from({ length: 9 }, () => randomUUID());
    for (const id of ids)
      around.provider.invoice(id, invoiceAnswer(id, id === ids[4] ? { title: "Refused" } : {}));
    const relay = await startRelay(around.environment());
    await relay.callback(ids.map((id) => ({ data: { id } })));
    await vi.waitFor(
      async () =>
        expect(
          await around.query("select count(*)::int as paid from confirmation where verdict = 'paid'"),
        ).toEqual([{ paid: 8 }]),
      WAIT,
    );
    await vi.waitFor(
      async () =>
        expect(await confirmation(around, ids[4] ?? "")).toMatchObject({
          state: "due",
          attempt: 1,
          last_error: expect.stringContaining("Postgres refuses"),
          last_answer: expect.stringContaining('"Refused"'),
        }),
      WAIT,
    );
  });
});

describe("a refused key", () => {
  it("pauses the source only when Get Collection is refused too, and goes on by itself once it works", async () => {
    const around = await surroundings();
    const [id, collectionId] = [randomUUID(), randomUUID()];
    const refused: Script = { status: 401, body: { status: 401, message: "Invalid API key" } };
    around.provider.invoice(id, refused);
    around.provider.collection(collectionId, refused);
    const relay = await startRelay(around.environment({ COLLECTION_IDS: collectionId }));
    await relay.callback({ data: { id } });
    await vi.waitFor(
      async () =>
        expect(await around.query("select paused_by from source")).toEqual([{ paused_by: "key_refused" }]),
      WAIT,
    );
    await vi.waitFor(
      async () =>
        expect(await openAlarms(around)).toMatchObject([
          { name: "source_paused", detail: expect.stringContaining("COLLECTION_API_KEY") },
        ]),
      WAIT,
    );
    around.provider.invoice(id, invoiceAnswer(id));
    around.provider.collection(collectionId, {
      status: 200,
      body: { status: "success", message: "ok", data: { id: collectionId, collectionName: "Term 1" } },
    });
    await vi.waitFor(async () => {
      await around.query("update source set probe_at = now() where probe_at is not null");
      await hurry(around, id);
      expect(await confirmation(around, id)).toMatchObject({ verdict: "paid" });
    }, WAIT);
    expect(await openAlarms(around)).toEqual([]);
  });

  it("for one invoice alone makes only that one wait", async () => {
    const around = await surroundings();
    const [forbidden, fine, collectionId] = [randomUUID(), randomUUID(), randomUUID()];
    around.provider.invoice(forbidden, { status: 403, body: { status: 403, message: "Not yours" } });
    around.provider.invoice(fine, invoiceAnswer(fine));
    around.provider.collection(collectionId, {
      status: 200,
      body: { status: "success", message: "ok", data: { id: collectionId, collectionName: "Term 1" } },
    });
    const relay = await startRelay(around.environment({ COLLECTION_IDS: collectionId }));
    await relay.callback({ data: { id: forbidden } });
    await vi.waitFor(
      async () =>
        expect(await confirmation(around, forbidden)).toMatchObject({ state: "due", attempt: 0, faults: 1 }),
      WAIT,
    );
    await relay.callback({ data: { id: fine } });
    await vi.waitFor(
      async () => expect(await confirmation(around, fine)).toMatchObject({ verdict: "paid" }),
      WAIT,
    );
    expect(await around.query("select paused_by from source")).toEqual([{ paused_by: null }]);
  });

  it("without COLLECTION_IDS one refused question is enough to pause", async () => {
    const around = await surroundings();
    const id = randomUUID();
    around.provider.invoice(id, { status: 401, body: { status: 401, message: "Invalid API key" } });
    const relay = await startRelay(around.environment());
    await relay.callback({ data: { id } });
    await vi.waitFor(
      async () =>
        expect(await around.query("select paused_by from source")).toEqual([{ paused_by: "key_refused" }]),
      WAIT,
    );
    around.provider.invoice(id, invoiceAnswer(id));
    await vi.waitFor(async () => {
      await around.query("update source set probe_at = now() where probe_at is not null");
      await hurry(around, id);
      expect(await confirmation(around, id)).toMatchObject({ verdict: "paid" });
    }, WAIT);
  });
});

describe("the collections that may be published", () => {
  const named = (id: string, collectionName: string): Script => ({
    status: 200,
    body: { status: "success", message: "ok", data: { id, collectionName } },
  });

  it("are named anew before an invoice is found foreign: a renamed collection quarantines nothing", async () => {
    const around = await surroundings();
    const [before, after, foreign, collectionId] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    around.provider.collection(collectionId, named(collectionId, "Term 1"));
    around.provider.invoice(before, invoiceAnswer(before, { collectionName: "Term 1" }));
    around.provider.invoice(after, invoiceAnswer(after, { collectionName: "Autumn" }));
    around.provider.invoice(foreign, invoiceAnswer(foreign, { collectionName: "Elsewhere" }));
    const relay = await startRelay(around.environment({ COLLECTION_IDS: collectionId }));
    await relay.callback({ data: { id: before } });
    await vi.waitFor(
      async () => expect(await confirmation(around, before)).toMatchObject({ verdict: "paid" }),
      WAIT,
    );
    around.provider.collection(collectionId, named(collectionId, "Autumn"));
    await vi.waitFor(async () => {
      await relay.callback({ data: { id: after } });
      await vi.waitFor(async () => expect((await confirmation(around, after))?.state).toBe("done"), WAIT);
      expect(await confirmation(around, after)).toMatchObject({ verdict: "paid" });
    }, WAIT);
    await relay.callback({ data: { id: foreign } });
    await vi.waitFor(
      async () => expect(await confirmation(around, foreign)).toMatchObject({ verdict: "quarantined" }),
      WAIT,
    );
    expect(
      await around.query("select subject from alarm where name = 'invoice_quarantined' and subject <> $1", [
        after,
      ]),
    ).toEqual([{ subject: foreign }]);
  });
});

describe("the replay lane", () => {
  it("leaves live questions three quarters of the places, however many replays wait", async () => {
    const around = await surroundings();
    around.provider.otherwise(() => undefined);
    const relay = await startRelay(around.environment({ CONFIRM_CONCURRENCY: "8", CONFIRM_TIMEOUT: "60s" }));
    await around.query(
      "insert into confirmation (invoice_id, source, lane, opened_by, opened_at, requested_at, due_at) select gen_random_uuid(), 'default', 'replay', 'replay', now(), now(), now() from generate_series(1, 100)",
    );
    await relay.callback({ data: { id: randomUUID() } });
    await vi.waitFor(() => expect(around.provider.requests.length).toBe(3), WAIT);
    await relay.callback(Array.from({ length: 20 }, () => ({ data: { id: randomUUID() } })));
    await vi.waitFor(() => expect(around.provider.requests.length).toBe(8), WAIT);
    expect(
      await around.query(
        "select lane, count(*)::int as claimed from confirmation where state = 'claimed' group by lane order by lane",
      ),
    ).toMatchObject([{ lane: "replay", claimed: 2 }, { lane: "unknown" }]);
  });
});

describe("limits of a source", () => {
  it("CONFIRM_RATE_PER_SECOND is kept by two processes together", async () => {
    const around = await surroundings();
    around.provider.otherwise(NOT_FOUND);
    const environment = around.environment({
      CONFIRM_RATE_PER_SECOND: "20",
      UNKNOWN_RATE_PER_SECOND: "1000",
    });
    const [relay] = await Promise.all([startRelay(environment), startRelay(environment)]);
    const began = Date.now();
    await relay?.callback(Array.from({ length: 200 }, () => ({ data: { id: randomUUID() } })));
    await vi.waitFor(() => expect(around.provider.requests.length).toBeGreaterThanOrEqual(40), WAIT);
    const seconds = (Date.now() - began) / 1_000;
    // The bucket's size of 4 on top, and what is under way.
    expect(around.provider.requests.length).toBeLessThanOrEqual(Math.ceil(seconds * 20) + 4 + 1);
  });

  it("unknown ids are throttled once most of them prove unknown, and known ones are not", async () => {
    const around = await surroundings();
    around.provider.otherwise(NOT_FOUND);
    const relay = await startRelay(around.environment({ UNKNOWN_RATE_PER_SECOND: "1" }));
    const id = randomUUID();
    around.provider.invoice(id, invoiceAnswer(id));
    await relay.callback({ data: { id } });
    await vi.waitFor(
      async () => expect(await confirmation(around, id)).toMatchObject({ verdict: "paid", lane: "known" }),
      WAIT,
    );
    for (let batch = 0; batch < 4; batch += 1)
      await relay.callback(Array.from({ length: 500 }, () => ({ data: { id: randomUUID() } })));
    await vi.waitFor(
      async () =>
        expect(await around.query("select unknown_share > 0.5 as flooded from source")).toEqual([
          { flooded: true },
        ]),
      WAIT,
    );
    await relay.callback({ data: { id } });
    await vi.waitFor(() => expect(timesAsked(around, id)).toBe(2), WAIT);
    const [{ waiting }] = (await around.query<{ waiting: number }>(
      "select count(*)::int as waiting from confirmation where state = 'due' and attempt = 0",
    )) as [{ waiting: number }];
    expect(waiting).toBeGreaterThan(1_500);
  });
});
