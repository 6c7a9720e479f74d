import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { sendRaw } from "../pipeline/receive/send-raw.ts";
import { runCliProcess } from "../support/cli-process.ts";
import { EVENTS } from "../support/events.ts";
import { eventually, toHaveLength } from "../support/eventually.ts";
import { type Harness, startHarness, startRelay, type TestRelay } from "../support/relay.ts";
import { invoiceAnswer } from "../support/scripted-provider.ts";

/** What must never be seen again. Each stands for its kind and is found nowhere else. */
const SECRETS = {
  ...{ token: "planted-token-0123456789abc", apiKey: "planted-api-key" },
  hmacSecret: "planted-hmac-secret-0123",
  ...{ signature: "planted-signature", bearer: "planted-bearer", cookie: "planted-cookie" },
  databasePassword: "planted-password",
};
const PERSONAL = {
  ...{ name: "Plantina Weatherwax", email: "plantina@weatherwax.example", phone: "+234 801 555 0199" },
};
const ALL = { ...SECRETS, ...PERSONAL };
const everything = Object.values(PERSONAL).join(" ");

const planted = (text: string, what: Record<string, string>): string[] =>
  Object.entries(what)
    .filter(([, value]) => text.includes(value) || text.includes(encodeURIComponent(value)))
    .map(([kind]) => kind);

const paidBy = (id: string) =>
  invoiceAnswer(id, {
    ...{ payerName: PERSONAL.name, payerEmail: PERSONAL.email, payerPhoneNumber: PERSONAL.phone },
    callBackUrl: `https://relay.example.com/callbacks/${SECRETS.token}/order-17`,
  });

const environmentOf = (harness: Harness, changes: Record<string, string> = {}) =>
  harness.environment({
    ...{ CALLBACK_TOKENS: SECRETS.token, COLLECTION_API_KEY: SECRETS.apiKey, LOG_LEVEL: "trace" },
    ...changes,
  });

/** A relay whose provider knows one invoice of that payer; `send` plants something in every part of a callback. */
async function plantedRelay(changes: Record<string, string> = {}) {
  const harness = await startHarness();
  const id = randomUUID();
  harness.provider.invoice(id, paidBy(id));
  const relay = await startRelay(environmentOf(harness, changes));
  /** @returns all that was answered, headers too. */
  const send = async () => {
    const query = `?payerEmail=${encodeURIComponent(PERSONAL.email)}&token=${SECRETS.token}`;
    const callBackUrl = `https://r.example.com/callbacks/${SECRETS.token}`;
    const answer = await relay.callback(
      { data: { id, payerName: PERSONAL.name, callBackUrl }, everything },
      {
        path: `/callbacks/${SECRETS.token}/${SECRETS.token}${query}`,
        headers: {
          ...{ "content-type": "application/json", authorization: `Bearer ${SECRETS.bearer}` },
          ...{ cookie: `session=${SECRETS.cookie}`, "x-signature": SECRETS.signature },
          ...{ "x-api-key": SECRETS.apiKey, "x-original-url": `/callbacks/${SECRETS.token}` },
          referer: `https://relay.example.com/callbacks/${SECRETS.token}/x`,
        },
      },
    );
    return `${answer.status} ${JSON.stringify([...answer.headers])} ${await answer.text()}`;
  };
  return { harness, relay, id, send };
}

/** What of this is in a place that monitoring, operators or consumers read without having asked for the invoice. */
async function leaks(harness: Harness, relay: TestRelay, more: Record<string, string> = {}) {
  const rows = async (query: string) => JSON.stringify(await harness.query(query));
  const outputs: Record<string, string> = {
    log: JSON.stringify(relay.lines),
    metrics: await (await fetch(`${relay.url}/metrics`)).text(),
    readiness: await (await fetch(`${relay.url}/readyz`)).text(),
    events: await rows(`select id, state, last_error from ${EVENTS}`),
    errors: await rows("select last_error from confirmation"),
    attributes: JSON.stringify(harness.sns.messages().map(({ messageAttributes }) => messageAttributes)),
    ...more,
  };
  for (const table of ["alarm", "source", "topic", "audit_entry"])
    outputs[table] = await rows(`table ${table}`);
  return Object.entries(outputs).flatMap(([place, text]) =>
    planted(text, ALL).map((kind) => `${kind} in ${place}`),
  );
}

describe("secrets and personal data", () => {
  it("of a callback and a confirmed invoice reach no log, metric, answer, error, alarm or SNS attribute", async () => {
    const { harness, relay, send } = await plantedRelay({ CALLBACK_HMAC_HEADER: "x-signature" });
    const answer = await send();
    const [message] = await eventually(() => harness.sns.messages(harness.topicArn), toHaveLength(1));
    expect(await leaks(harness, relay, { answer })).toEqual([]);
    // The event carries the payer, as it should, and no secret.
    expect(planted(message?.message ?? "", ALL)).toEqual(["name", "email", "phone"]);
  });

  it("are masked in what is recorded beside the body, and tokens in stored documents", async () => {
    const { harness, relay, id, send } = await plantedRelay({ CALLBACK_HMAC_SECRETS: SECRETS.hmacSecret });
    await send();
    // Express takes the path in any case, and the absolute form: the token is masked in these too.
    for (const target of [`/CALLBACKS/${SECRETS.token}`, `${relay.url}/callbacks/${SECRETS.token}?a=1`])
      await sendRaw(relay.url, { method: "POST", target });
    const recorded = await harness.query(
      "select path, query, reference, headers::text from callback order by received_at",
    );
    expect(recorded.map(({ path }) => path)).toEqual([
      "/callbacks/***/***",
      "/callbacks/***",
      "/callbacks/***",
    ]);
    expect(planted(JSON.stringify(recorded), SECRETS)).toEqual([]);

    await harness.query(
      `insert into confirmation (invoice_id, source, opened_by, opened_at, requested_at, due_at)
        values ($1, 'default', 'operator', now(), now(), now())`,
      [id],
    );
    const stored = "select document::text from invoice union all select document::text from invoice_snapshot";
    const documents = JSON.stringify(await eventually(() => harness.query(stored), toHaveLength(1)));
    expect(documents).toContain("/callbacks/***/order-17");
    expect(planted(documents, SECRETS)).toEqual([]);
  });

  it.each([401, 429, 500, 200])(
    "in a provider's error of status %i reach no log, error, alarm or metric",
    async (status) => {
      const { harness, relay, id, send } = await plantedRelay();
      const message = `${everything} may not: key ${SECRETS.apiKey}, /callbacks/${SECRETS.token}`;
      harness.provider.invoice(id, {
        ...{ status, body: { status, message, errors: [`${everything} is not allowed`] } },
      });
      await send();
      await eventually(
        () => harness.query("select from confirmation where last_error is not null"),
        toHaveLength(1),
      );
      // The provider's answer itself is kept as evidence, in last_answer, and erased with the invoice.
      const [kept] = await harness.query("select * from confirmation");
      expect(planted(JSON.stringify(kept), SECRETS)).toEqual([]);
      expect(await leaks(harness, relay)).toEqual([]);
    },
  );

  it("are not in what a person or a script is shown of an invoice, dead letters, doctor, or a wrong setting", async () => {
    const { harness, id, send } = await plantedRelay();
    await send();
    await eventually(() => harness.sns.messages(harness.topicArn), toHaveLength(1));
    const cli = async (words: string, changes: Record<string, string> = {}) => {
      const { stdout, stderr } = await runCliProcess(words.split(" "), environmentOf(harness, changes));
      return stdout + stderr;
    };
    const [invoice, wrong, ...others] = await Promise.all([
      cli(`invoice ${id}`),
      cli("serve", {
        CALLBACK_TOKENS: `${SECRETS.token} with spaces`,
        DATABASE_URL: `mysql://u:${SECRETS.databasePassword}@h/d`,
      }),
      ...[`invoice ${id} --json`, "doctor", "dead list --json"].map((words) => cli(words)),
    ]);
    expect(invoice).toContain(id);
    expect(wrong).toContain("CALLBACK_TOKENS");
    for (const text of [invoice, wrong, ...others]) expect(planted(String(text), SECRETS)).toEqual([]);
  });
});
