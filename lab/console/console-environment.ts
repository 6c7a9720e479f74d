import { join } from "node:path";
import { vi } from "vitest";
import { buildPages } from "../../src/interfaces/console/console-pages.ts";
import { createLocalTopic } from "../../src/runtime/dev-environment.ts";
import { emptyMonth } from "../../test/pipeline/reconcile/month.ts";
import { call, type Reply } from "../../test/sandbox/provider/service-fixture.ts";
import { ownPort } from "../../test/support/own-port.ts";
import { onceForAll, onTestFinished } from "../../test/support/own-test.ts";
import { startRelay, TOKEN } from "../../test/support/relay.ts";
import { launchChromium } from "./chromium.ts";
import { ADMIN_TOKENS, Operator, ROLES, type Role } from "./operator.ts";

/** Who they are in the audit log. */
export const NAMES: Record<Role, string> = { read: "ruth", operate: "ola", admin: "ada" };

/** Callbacks that say they come from here fail the relay's address check. */
export const STRANGER = "203.0.113.9";

/** The stack that the console is shown over: relay, collection service, local SNS, Postgres; all real. */
export type ConsoleEnvironment = Awaited<ReturnType<typeof startConsoleEnvironment>>;

async function startConsoleEnvironment() {
  const { harness, service, environment } = await emptyMonth();
  onTestFinished(service.close);
  const otherTopicArn = await createLocalTopic(harness.sns.url, "invoice-events-copy");
  const port = await ownPort();
  const url = `http://127.0.0.1:${port}`;
  await startRelay({
    ...environment,
    ...{ PORT: String(port), PUBLIC_URL: url, RECONCILE_INTERVAL: "1d" },
    // The test is a proxy that tells where its callbacks come from.
    ...{ TRUSTED_PROXIES: "127.0.0.1", CALLBACK_ALLOWED_ADDRESSES: "127.0.0.1" },
    ...{ SNS_TEST_TOPIC_ARN: harness.testTopicArn, REPLAY_TOPIC_ARNS: otherTopicArn },
    ADMIN_TOKENS: ROLES.map((role) => `${NAMES[role]}:${role}:${ADMIN_TOKENS[role]}`).join(","),
  });
  const { query, sns } = harness;
  return {
    /** Of the relay, without a slash at the end. */
    url,
    service,
    sns,
    /** Another topic, which replays may go to. */
    otherTopicArn,
    query,
    /** A call of the admin API as a program makes it. @throws Error unless it answers 200. */
    async api(method: string, path: string, body?: unknown): Promise<Reply["body"]> {
      const authorization = `Bearer ${ADMIN_TOKENS.admin}`;
      const reply = await call(`${url}/admin/v1${path}`, method, body, { authorization });
      if (reply.status !== 200) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
      return reply.body;
    },
    /** An invoice with the relay's callback URL in it. @returns its id. */
    invoice: (reference: string, fields: Record<string, unknown> = {}) =>
      service.create({ callBackUrl: `${url}/callbacks/${TOKEN}/${reference}`, ...fields }),
    /** Pays it as a payer does; the provider's callback follows by itself. */
    async pay(invoiceId: string) {
      const reply = await service.control("POST", `/invoices/${invoiceId}/pay`);
      if (reply.status !== 200) throw new Error(`pay ${invoiceId}: ${reply.text}`);
    },
    /** Sends the relay a callback. A body that is no text is sent as JSON. */
    callback: (body: unknown, headers: Record<string, string> = {}, rest = "") =>
      fetch(`${url}/callbacks/${TOKEN}${rest}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    /** Waits until the query gives exactly these rows. */
    until: (text: string, values: unknown[], rows: unknown[]) =>
      vi.waitFor(
        async () => {
          const found = JSON.stringify(await query(text, values));
          if (found !== JSON.stringify(rows))
            throw new Error(`${text}: ${found}, not ${JSON.stringify(rows)}`);
        },
        { interval: 50 },
      ),
  };
}

/** A browser before a console whose pages were just built, for the tests of a file or of a `describe`. */
export function standHere() {
  const opened = onceForAll(async () => {
    await buildPages(join(import.meta.dirname, "../../dist/console"));
    const browser = await launchChromium();
    onTestFinished(() => browser.close());
    return { browser, environment: await startConsoleEnvironment() };
  });
  return {
    get environment() {
      return opened().environment;
    },
    /** Somebody who has not signed in. */
    arrive: (options?: Parameters<typeof Operator.arrive>[2]) =>
      Operator.arrive(opened().browser, opened().environment, options),
  };
}
