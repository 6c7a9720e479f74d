import { randomUUID } from "node:crypto";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { runCliProcess } from "../support/cli-process.ts";
import { EVENTS } from "../support/events.ts";
import { startServer } from "../support/own-server.ts";
import { type Harness, startHarness, startRelay, type TestRelay } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";

/** What must never be seen again. Each stands for its kind and is found nowhere else. */
const SECRETS = {
  token: "planted-token-0123456789abc",
  apiKey: "planted-api-key",
  hmacSecret: "planted-hmac-secret-0123",
  signature: "planted-signature",
  bearer: "planted-bearer",
  cookie: "planted-cookie",
  databasePassword: "planted-password",
};
const PERSONAL = {
  name: "Plantina Weatherwax",
  email: "plantina@weatherwax.example",
  phone: "+234 801 555 0199",
};
const everything = Object.values(PERSONAL).join(" ");

function planted(text: string, what: Record<string, string>): string[] {
  return Object.entries(what)
    .filter(([, value]) => text.includes(value) || text.includes(encodeURIComponent(value)))
    .map(([kind]) => kind);
}

/** An SNS that refuses everything, and repeats what it was sent while doing so. */
async function talkativeSns(): Promise<string> {
  const said = `${PERSONAL.email} ${PERSONAL.phone} https://relay.example.com/callbacks/${SECRETS.token} Bearer ${SECRETS.bearer}`;
  const { url, close } = await startServer((_request, response) => {
    response
      .writeHead(500, { "content-type": "text/xml" })
      .end(
        `<ErrorResponse><Error><Type>Receiver</Type><Code>InternalFailure</Code><Message>${said}</Message></Error></ErrorResponse>`,
      );
  });
  onTestFinished(close);
  return url;
}

const paidBy = (id: string) =>
  invoiceAnswer(id, {
    payerName: PERSONAL.name,
    payerEmail: PERSONAL.email,
    payerPhoneNumber: PERSONAL.phone,
    callBackUrl: `https://relay.example.com/callbacks/${SECRETS.token}/order-17`,
  });

/** A provider's error that repeats key, token and payer. */
const talkativeError = (status: number) => ({
  status,
  body: {
    status,
    message: `${everything} may not: key ${SECRETS.apiKey}, /callbacks/${SECRETS.token}`,
    errors: [`${everything} is not allowed`],
  },
});

const environmentOf = (harness: Harness, changes: Record<string, string> = {}) =>
  harness.environment({
    CALLBACK_TOKENS: SECRETS.token,
    COLLECTION_API_KEY: SECRETS.apiKey,
    LOG_LEVEL: "trace",
    ...changes,
  });

/** Sends a callback with something planted in every part; gives back all that was answered, headers too. */
async function sendPlanted(relay: TestRelay, id: string, extra: RequestInit = {}): Promise<string> {
  const query = `?payerEmail=${encodeURIComponent(PERSONAL.email)}&token=${SECRETS.token}`;
  const answer = await relay.callback(
    {
      data: { id, payerName: PERSONAL.name, callBackUrl: `https://r.example.com/callbacks/${SECRETS.token}` },
      everything,
    },
    {
      path: `/callbacks/${SECRETS.token}/${SECRETS.token}${query}`,
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${SECRETS.bearer}`,
        cookie: `session=${SECRETS.cookie}`,
        "x-signature": SECRETS.signature,
        "x-api-key": SECRETS.apiKey,
        referer: `https://relay.example.com/callbacks/${SECRETS.token}/x`,
        "x-original-url": `/callbacks/${SECRETS.token}`,
      },
      ...extra,
    },
  );
  return `${answer.status} ${JSON.stringify([...answer.headers])} ${await answer.text()}`;
}

/**
 * Every place that monitoring, operators or consumers read without having asked for an invoice's own data.
 */
async function outputsOf(harness: Harness, relay: TestRelay): Promise<Record<string, string>> {
  const rows = async (query: string) => JSON.stringify(await harness.query(query));
  return {
    log: JSON.stringify(relay.lines),
    metrics: await (await fetch(`${relay.url}/metrics`)).text(),
    readiness: await (await fetch(`${relay.url}/readyz`)).text(),
    alarms: await rows("select * from alarm"),
    confirmations: await rows("select * from confirmation"),
    sources: await rows("select * from source"),
    topics: await rows("select * from topic"),
    events: await rows(`select id, state, last_error from ${EVENTS}`),
    audit: await rows("select * from audit_entry"),
    attributes: JSON.stringify(
      harness.sns.messages(harness.topicArn).map((message) => message.messageAttributes),
    ),
  };
}

function leaks(outputs: Record<string, string>, what: Record<string, string>): string[] {
  return Object.entries(outputs).flatMap(([place, text]) =>
    planted(text, what).map((kind) => `${kind} in ${place}`),
  );
}

describe("secrets and personal data", () => {
  it("of a callback and a confirmed invoice reach no log, metric, answer, error, alarm or SNS attribute", async () => {
    const harness = await startHarness();
    const id = randomUUID();
    harness.provider.invoice(id, paidBy(id));
    const relay = await startRelay(environmentOf(harness, { CALLBACK_HMAC_HEADER: "x-signature" }));
    const answer = await sendPlanted(relay, id);
    await vi.waitFor(() => expect(harness.sns.messages(harness.topicArn)).toHaveLength(1));

    const outputs: Record<string, string> = { answer, ...(await outputsOf(harness, relay)) };
    expect(outputs.attributes).toContain("invoice.paid");
    expect(leaks(outputs, { ...SECRETS, ...PERSONAL })).toEqual([]);
    // The event carries the payer, as it should, and no secret.
    const [message] = harness.sns.messages(harness.topicArn);
    expect(planted(message?.message ?? "", PERSONAL)).toContain("name");
    expect(planted(message?.message ?? "", SECRETS)).toEqual([]);
  });

  it("are masked in what is recorded beside the body, and tokens in stored documents", async () => {
    const harness = await startHarness();
    const id = randomUUID();
    harness.provider.invoice(id, paidBy(id));
    const relay = await startRelay(environmentOf(harness, { CALLBACK_HMAC_SECRETS: SECRETS.hmacSecret }));
    await sendPlanted(relay, id);
    const recorded = await harness.query<Record<string, unknown>>(
      "select path, query, reference, headers::text from callback",
    );
    expect(recorded).toHaveLength(1);
    expect(recorded[0]?.path).toBe("/callbacks/***/***");
    expect(planted(JSON.stringify(recorded), SECRETS)).toEqual([]);
    // Express takes the path in any case, and the absolute form: the token is masked in these too.
    const { sendRaw } = await import("../receive/send-raw.ts");
    for (const target of [`/CALLBACKS/${SECRETS.token}`, `${relay.url}/callbacks/${SECRETS.token}?a=1`])
      await sendRaw(relay.url, { method: "POST", target });
    const paths = await harness.query("select path from callback where cardinality(invoice_ids) = 0");
    expect(paths).toEqual([{ path: "/callbacks/***" }, { path: "/callbacks/***" }]);

    await harness.query(
      `insert into confirmation (invoice_id, source, opened_by, opened_at, requested_at, due_at)
        values ($1, 'default', 'operator', now(), now(), now())`,
      [id],
    );
    const documents = await vi.waitFor(async () => {
      const rows = await harness.query(
        "select document::text from invoice union all select document::text from invoice_snapshot",
      );
      expect(rows).toHaveLength(1);
      return JSON.stringify(rows);
    });
    expect(documents).toContain("/callbacks/***/order-17");
    expect(planted(documents, SECRETS)).toEqual([]);
  });

  it.each([401, 403, 429, 400, 500, 200])(
    "in a provider's error of status %i reach no log, error, alarm or metric",
    async (status) => {
      const harness = await startHarness();
      const id = randomUUID();
      harness.provider.otherwise(talkativeError(status));
      const relay = await startRelay(environmentOf(harness));
      await sendPlanted(relay, id);
      await vi.waitFor(async () =>
        expect(await harness.query("select from confirmation where last_error is not null")).toHaveLength(1),
      );
      const { confirmations = "", ...outputs } = await outputsOf(harness, relay);
      // The provider's answer itself is kept as evidence, in last_answer, and erased with the invoice.
      const [kept] = await harness.query<{ last_error: string }>("select last_error from confirmation");
      expect(planted(confirmations, SECRETS)).toEqual([]);
      expect(leaks({ ...outputs, error: kept?.last_error ?? "" }, { ...SECRETS, ...PERSONAL })).toEqual([]);
    },
  );

  it("in an error of SNS reach no log, error, alarm or metric", async () => {
    const harness = await startHarness();
    const id = randomUUID();
    harness.provider.invoice(id, paidBy(id));
    const relay = await startRelay(environmentOf(harness, { AWS_ENDPOINT_URL_SNS: await talkativeSns() }));
    await relay.callback({ data: { id } }, { path: `/callbacks/${SECRETS.token}` });
    await vi.waitFor(async () =>
      expect(await harness.query("select from topic where last_error is not null")).toHaveLength(1),
    );
    expect(leaks(await outputsOf(harness, relay), { ...SECRETS, ...PERSONAL })).toEqual([]);
  });

  it("in an error of Postgres reach no log, answer or metric; the callback is refused with 503", async () => {
    const harness = await startHarness();
    await harness.query(`create function talk() returns trigger language plpgsql as $$ begin
      raise exception 'invalid input syntax for type uuid: "${everything}" /callbacks/${SECRETS.token}'
      using errcode = '22P02',
        detail = '${everything}', hint = '${SECRETS.token}'; end $$`);
    await harness.query("create trigger talk before insert on callback for each row execute function talk()");
    const relay = await startRelay(environmentOf(harness), { http: true, workers: false });
    const answer = await sendPlanted(relay, randomUUID());
    expect(answer).toMatch(/^503 /);
    const outputs: Record<string, string> = { answer, ...(await outputsOf(harness, relay)) };
    expect(outputs.log).toContain("could not be recorded");
    expect(leaks(outputs, { ...SECRETS, ...PERSONAL })).toEqual([]);
  });

  it("are in no settings error and no answer to a wrong address", async () => {
    const harness = await startHarness();
    const relay = await startRelay(environmentOf(harness), { http: true, workers: false });
    for (const path of [
      `/callback/${SECRETS.token}`,
      `/${SECRETS.token}%`,
      `/callbacks/x${SECRETS.token}?t=${SECRETS.token}`,
    ]) {
      const answer = await fetch(`${relay.url}${path}`, { headers: { cookie: SECRETS.cookie } });
      expect([400, 404]).toContain(answer.status);
      expect(planted(await answer.text(), SECRETS)).toEqual([]);
    }
    expect(planted(JSON.stringify(relay.lines), SECRETS)).toEqual([]);
  });
});

describe("secrets on the command line", () => {
  it("are not in what a person or a script is shown of an invoice, dead letters, doctor, or a wrong setting", async () => {
    const harness = await startHarness();
    const id = randomUUID();
    harness.provider.invoice(id, paidBy(id));
    const relay = await startRelay(environmentOf(harness));
    await sendPlanted(relay, id);
    await vi.waitFor(() => expect(harness.sns.messages(harness.topicArn)).toHaveLength(1));
    const shown = await Promise.all([
      cli(harness, ["invoice", id]),
      cli(harness, ["invoice", id, "--json"]),
      cli(harness, ["doctor"]),
      cli(harness, ["dead", "list", "--json"]),
      cli(harness, ["serve"], {
        CALLBACK_TOKENS: `${SECRETS.token} with spaces`,
        DATABASE_URL: `mysql://u:${SECRETS.databasePassword}@h/d`,
      }),
    ]);
    expect(shown[0]).toContain(id);
    expect(shown[4]).toContain("CALLBACK_TOKENS");
    for (const text of shown) expect(planted(text, SECRETS)).toEqual([]);
  });
});

/** All that a command prints, on both outputs. */
async function cli(harness: Harness, words: string[], changes: Record<string, string> = {}): Promise<string> {
  const credentials = { AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };
  const { stdout, stderr } = await runCliProcess(words, {
    ...credentials,
    ...environmentOf(harness, changes),
  });
  return stdout + stderr;
}
