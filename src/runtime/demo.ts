import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RelayError } from "../platform/errors/index.ts";
import { within } from "../platform/process/index.ts";
import { moneyIn } from "../platform/values/index.ts";
import {
  createSampleInvoice,
  type LocalEnvironmentOptions,
  type Published,
  startLocalEnvironment,
} from "./dev-environment.ts";

interface DemoOptions extends Pick<LocalEnvironmentOptions, "environment" | "database" | "log" | "signal"> {
  report: (step: string) => void;
}

const TIMEOUT_MS = 20_000;

/**
 * Sends one payment through every real part, in a temporary folder.
 * @returns the event as the subscriber got it, as text, and the payment's timeline.
 * @throws RelayError with the failed step.
 */
export async function runDemo({ report, ...options }: DemoOptions) {
  await using folder = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "invoice-relay-demo-"));
  folder.defer(() => rm(dataDir, { recursive: true, force: true }));
  // As root, Postgres runs as another user, who must be able to enter.
  await chmod(dataDir, 0o711);
  const received = Promise.withResolvers<Published | null>();
  options.signal.addEventListener("abort", () => received.resolve(null));
  const local = await startLocalEnvironment({
    ...options,
    dataDir,
    durable: false,
    reconciles: false,
    ports: { relay: 0, collectionService: 0, sns: 0, postgres: 0 },
    remark: report,
    onPublished: received.resolve,
  });
  folder.defer(() => local.stop());
  report("started Postgres, the collection service, SNS with a subscriber, and the relay");
  const { id, totalAmount, paymentUrl } = await createSampleInvoice(local);
  report(
    `created invoice ${id} over ${moneyIn(local.currency, totalAmount)}, with the relay's callback URL in it`,
  );
  const answer = await fetch(paymentUrl, { method: "POST" });
  if (!answer.ok) throw new RelayError(`The collection service answered a payment with ${answer.status}.`);
  report("paid it at its payment link");
  const published = await within(received.promise, TIMEOUT_MS, null);
  if (published === null)
    throw new RelayError(
      options.signal.aborted
        ? "The demo was stopped."
        : `The demo failed: the subscriber got no event within ${TIMEOUT_MS / 1_000} s. LOG_LEVEL=info shows why.`,
    );
  report("the subscriber received the event");
  return { ...published, currency: local.currency };
}
