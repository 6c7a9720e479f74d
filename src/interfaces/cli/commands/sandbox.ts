import { join, resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { z } from "zod";
import { messageOf, RelayError, usageError } from "../../../platform/errors/index.ts";
import { jsonIn, Secret, shortText } from "../../../platform/values/index.ts";
import { LOCAL_AWS_CREDENTIALS } from "../../../runtime/index.ts";
import type { CommandContext } from "../command-context.ts";
import { idValue } from "../option-values.ts";

/** With --early, how long after the callback the API shows the payment. */
const EARLY_MS = 5_000;

interface PayOptions {
  early?: true;
  twice?: true;
  never?: true;
  forge?: true;
  method: string;
  provider?: string;
}

export function sandboxCommand(context: CommandContext): Command {
  return new Command("sandbox")
    .description("make payments at the local collection service")
    .addCommand(payCommand(context));
}

function payCommand(context: CommandContext): Command {
  return new Command("pay")
    .description("pay an invoice as a payer would, or make something go wrong")
    .argument("<invoice>", "the invoice's id", idValue)
    .option("--early", `the callback comes ${EARLY_MS / 1_000} s before the API shows the payment`)
    .option("--twice", "the callback comes twice")
    .addOption(new Option("--never", "the callback never comes").conflicts(["early", "twice"]))
    .addOption(
      new Option("--forge", "nothing is paid: a stranger sends a callback that says so").conflicts([
        "early",
        "twice",
        "never",
      ]),
    )
    .addOption(
      new Option("--method <method>", "how it is paid")
        .choices(["Card", "BankTransfer", "USSD", "BankBranch"])
        .default("Card"),
    )
    .option("--provider <url>", "the collection service; by default COLLECTION_API_URL, or port 4001")
    .action(async (id: string, { early, twice, never, forge, method, provider }: PayOptions) => {
      const invoice = `${providerUrl(context, provider)}/_control/invoices/${id}`;
      if (forge) {
        const answer = forgeAnswer.parse(await control(`${invoice}/forge`, {}));
        context.show({ id, ...answer }, () => forgedWords(id, answer));
        return;
      }
      const payment = { method, copies: never ? 0 : twice ? 2 : 1, readableAfterMs: early ? EARLY_MS : 0 };
      await control(`${invoice}/pay`, payment);
      const callbacks = never ? "never comes" : twice ? "comes twice" : "comes now";
      const readable = early ? `, and the API shows the payment in ${EARLY_MS / 1_000} s` : "";
      context.show(
        { id, outcome: "paid", ...payment },
        () => `Invoice ${id} is paid. Its callback ${callbacks}${readable}.`,
      );
    });
}

const forgeAnswer = z.object({ status: z.int().nullable(), error: z.string().nullable() });
type ForgeAnswer = z.output<typeof forgeAnswer>;

function forgedWords(id: string, answer: ForgeAnswer): string {
  const result =
    answer.status === null ? `was not delivered: ${answer.error}` : `was answered ${answer.status}`;
  return `Nothing was paid. A forged callback, which says that invoice ${id} is, ${result}.`;
}

const providerUrl = (context: CommandContext, given: string | undefined): string =>
  trimmed(given ?? context.settings().COLLECTION_API_URL ?? "http://127.0.0.1:4001");

function trimmed(url: string): string {
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? "")) return url.replace(/\/+$/, "");
  throw usageError(`"${shortText(url)}" should be a web address such as http://127.0.0.1:4001.`);
}

const TIMEOUT_MS = 35_000;

/**
 * Asks the control side of the collection service.
 * @throws RelayError when nothing answers, something else does, or it refuses.
 */
async function control(url: string, body: unknown): Promise<object> {
  const { origin } = new URL(url);
  const asked = { method: "POST", body: JSON.stringify(body), redirect: "error" } as const;
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { ...asked, signal: AbortSignal.timeout(TIMEOUT_MS) });
    text = await response.text();
  } catch (cause) {
    throw new RelayError(
      `The collection service at ${origin} does not answer (${messageOf(cause)}). Start it, or give its URL.`,
      { code: "provider_away", cause },
    );
  }
  const answer = jsonIn(text);
  if (response.ok && typeof answer === "object" && answer !== null) return answer;
  const refusal = z.object({ message: z.string() }).safeParse(answer).data;
  throw new RelayError(
    refusal === undefined
      ? `The server at ${origin} is not the collection service.`
      : `The collection service refused it: ${refusal.message}`,
    { code: response.status === 404 ? "not_found" : "failed" },
  );
}

interface Options {
  port: number;
  host: string;
  publicUrl?: string;
  seed?: string;
}

export function collectionServiceCommand(context: CommandContext): Command {
  return new Command("collection-service")
    .description("run a local Invoice Collection API, with callbacks")
    .addOption(portOption(4001))
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .option("--public-url <url>", "where payers reach it; its own address by default")
    .option("--seed <file>", "keys and collections to start with, instead of the built-in ones")
    .action(async ({ port, host, publicUrl, seed }: Options) => {
      const { DATABASE_URL, DATA_DIR } = context.settings();
      const { startCollectionService } = await import("../../../sandbox/index.ts");
      const { startEmbeddedPostgres } = await import("../../../sandbox/index.ts");
      const stop = context.listenForStop();
      const log = await context.localLog();
      await using running = new AsyncDisposableStack();
      const dataDir = join(resolve(DATA_DIR), "collection-service");
      const embedded = DATABASE_URL === undefined ? await startEmbeddedPostgres({ dataDir, log }) : null;
      running.defer(async () => embedded?.stop());
      const service = await startCollectionService({
        databaseUrl: DATABASE_URL ?? new Secret(embedded?.url ?? ""),
        port,
        host,
        log,
        ...(publicUrl === undefined ? {} : { publicUrl }),
        ...(seed === undefined ? {} : { seed }),
      });
      running.defer(() => service.close());
      const settings = await clientSettings(service.url, seed);
      context.showLine(
        { url: service.url, port: service.port, dataDir: embedded === null ? null : dataDir, settings },
        () =>
          [
            `The collection service listens on ${service.url}. These settings point a relay at it:`,
            "",
            ...settingLines(settings),
            "",
            `Its keys and collections: ${seed ?? "src/sandbox/provider/seed.json"}`,
            `Its data: ${embedded === null ? "in the database of DATABASE_URL" : dataDir}`,
            "To pay an invoice: invoice-relay sandbox pay <id>",
          ].join("\n"),
      );
      await stop.asked;
      await stop.finish(running.move().disposeAsync());
    });
}

async function clientSettings(url: string, seedFile: string | undefined): Promise<Record<string, string>> {
  const { readSeed } = await import("../../../sandbox/index.ts");
  const { apiKeys, collections } = await readSeed(seedFile);
  const open = collections.filter((collection) => collection.status === "Active");
  return {
    COLLECTION_API_URL: url,
    COLLECTION_API_KEY: (apiKeys.find((key) => key.type === "Live") ?? apiKeys[0])?.key ?? "",
    COLLECTION_IDS: open.map((collection) => collection.id).join(","),
  };
}

export function localSnsCommand(context: CommandContext): Command {
  return new Command("local-sns")
    .description("run a local SNS endpoint; everything is in memory and gone when it stops")
    .addOption(portOption(4002))
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .option("--region <region>", "the region of its topics", "us-east-1")
    .option("--topic <name...>", "topics to create at the start", ["invoice-events"])
    .action(async (options: { port: number; host: string; region: string; topic: string[] }) => {
      const { startLocalSns } = await import("../../../sandbox/index.ts");
      const { createLocalTopic } = await import("../../../runtime/dev-environment.ts");
      const stop = context.listenForStop();
      const { port, host, region } = options;
      const sns = await startLocalSns({ port, host, region, log: await context.localLog() });
      const topics: string[] = [];
      try {
        for (const name of options.topic) topics.push(await createLocalTopic(sns.url, name));
      } catch (error) {
        await sns.close();
        throw error;
      }
      const settings = {
        SNS_TOPIC_ARN: topics[0] ?? "",
        AWS_REGION: region,
        AWS_ENDPOINT_URL_SNS: sns.url,
        ...LOCAL_AWS_CREDENTIALS,
      };
      context.showLine({ url: sns.url, port: sns.port, topics, settings }, () =>
        [
          `Local SNS listens on ${sns.url}. These settings point a relay, or any AWS SDK, at it:`,
          "",
          ...settingLines(settings),
          "",
          ...topics.slice(1).map((arn) => `Another topic: ${arn}`),
          `Published messages: ${sns.url}/_control/messages`,
        ].join("\n"),
      );
      await stop.asked;
      await stop.finish(sns.close());
    });
}

function portOption(standard: number): Option {
  return new Option("--port <port>", "the port to listen on; 0 takes a free one")
    .default(standard)
    .argParser((text) => {
      const port = Number(text);
      if (/^\d+$/.test(text) && port <= 65_535) return port;
      throw new InvalidArgumentError("It should be a whole number from 0 to 65535.");
    });
}

function settingLines(settings: Readonly<Record<string, string>>): string[] {
  return Object.entries(settings).map(([name, value]) => `${name}=${value}`);
}
