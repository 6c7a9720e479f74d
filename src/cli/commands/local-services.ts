import { join, resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { LOCAL_AWS_CREDENTIALS } from "../../app/dev-settings.ts";
import { Secret } from "../../kit/secret.ts";
import type { CommandContext } from "../command-context.ts";

interface Options {
  port: number;
  host: string;
  publicUrl?: string;
  seed?: string;
  banksPath?: string;
}

export function collectionServiceCommand(context: CommandContext): Command {
  return new Command("collection-service")
    .description("run a local Invoice Collection API, with payers' pages and callbacks")
    .addOption(portOption(4001))
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .option("--public-url <url>", "where payers reach it; its own address by default")
    .option("--seed <file>", "keys and collections to start with, instead of the built-in ones")
    .option("--banks-path <path>", "the path of Get Banks; /api/v1/banks by default")
    .action(async ({ port, host, publicUrl, seed, banksPath }: Options) => {
      const { DATABASE_URL, DATA_DIR, COLLECTION_SERVICE_FAULTS } = context.settings();
      const { parseFaults } = await import("../../sandbox/provider/faults.ts");
      const { startCollectionService } = await import("../../sandbox/provider/start-collection-service.ts");
      const { startEmbeddedPostgres } = await import("../../sandbox/postgres/start-embedded-postgres.ts");
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
        ...(banksPath === undefined ? {} : { banksPath }),
        faults: parseFaults(COLLECTION_SERVICE_FAULTS),
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
  const { readSeed } = await import("../../sandbox/provider/seed.ts");
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
      const { startLocalSns } = await import("../../sandbox/sns/start-local-sns.ts");
      const { createLocalTopic } = await import("../../app/dev-topics.ts");
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
          `What was published: ${sns.url}/_control/messages`,
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
