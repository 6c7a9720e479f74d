import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { readTimeline } from "../operations/index.ts";
import { RelayError } from "../platform/errors/index.ts";
import { moneyIn } from "../platform/values/index.ts";
import {
  createSampleInvoice,
  type LocalEnvironmentOptions,
  startLocalEnvironment,
} from "./dev-environment.ts";

interface DemoOptions extends Pick<LocalEnvironmentOptions, "environment" | "database" | "log" | "signal"> {
  tell: (step: string) => void;
}

const PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 20;

/**
 * Sends one payment through every real part, in a temporary place.
 * @returns the event as the subscriber got it, as text, and the payment's outcome.
 * @throws RelayError with the failed step.
 */
export async function runDemo({ tell, ...options }: DemoOptions) {
  await using place = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "invoice-relay-demo-"));
  place.defer(() => rm(dataDir, { recursive: true, force: true }));
  // As root, Postgres runs as another user, who must be able to enter.
  await chmod(dataDir, 0o711);
  const received: string[] = [];
  const local = await startLocalEnvironment({
    ...options,
    dataDir,
    durable: false,
    reconciles: false,
    ports: { relay: 0, collectionService: 0, sns: 0, postgres: 0 },
    remark: tell,
    onMessage: ({ message }) => void received.push(message),
  });
  place.defer(() => local.stop());
  tell("started Postgres, the collection service, SNS with a subscriber, and the relay");
  const invoice = await createSampleInvoice(local);
  tell(
    `created invoice ${invoice.id} over ${moneyIn(local.currency, invoice.totalAmount)}, with the relay's callback URL in it`,
  );
  await payLikeABrowser(invoice.paymentUrl);
  tell("paid it on the payer's page, as a browser would");
  const event = await until("the subscriber got no event", options.signal, async () =>
    received.find((message) => message.includes(invoice.id)),
  );
  tell("the subscriber received the event");
  const timeline = await until("the publication was not kept", options.signal, async () => {
    const found = await readTimeline(local.db, invoice.id);
    return found?.entries.some(({ kind }) => kind === "publication") ? found : undefined;
  });
  return { event, timeline, currency: local.currency };
}

async function until<T>(
  failure: string,
  signal: AbortSignal,
  look: () => Promise<T | undefined>,
): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline) {
    const found = await look();
    if (found !== undefined) return found;
    if (signal.aborted) throw new RelayError("The demo was stopped.");
    await delay(LOOK_EVERY_MS);
  }
  throw new RelayError(
    `The demo failed: ${failure} within ${PATIENCE_MS / 1_000} s. LOG_LEVEL=info shows why.`,
  );
}

/** Reads the form and submits its first way to pay. @throws RelayError that says what the page answered. */
async function payLikeABrowser(paymentUrl: string): Promise<void> {
  const page = await (await fetch(paymentUrl)).text();
  const action = /<form[^>]*\baction="([^"]+)"/.exec(page)?.[1];
  const method = /<input[^>]*\bname="method"[^>]*\bvalue="([^"]+)"/.exec(page)?.[1];
  if (action === undefined || method === undefined)
    throw new RelayError(`The payer's page ${paymentUrl} holds no form to pay with.`);
  const answer = await fetch(new URL(action, paymentUrl), {
    method: "POST",
    body: new URLSearchParams({ method }),
    redirect: "manual",
  });
  await answer.body?.cancel();
  if (answer.status !== 303)
    throw new RelayError(`The payer's page did not take the payment: it answered ${answer.status}.`);
}
