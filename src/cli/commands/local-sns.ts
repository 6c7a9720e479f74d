import { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { portOption } from "../port-option.ts";
import { settingLines } from "../setting-lines.ts";

export function localSnsCommand(context: CommandContext): Command {
  return new Command("local-sns")
    .description("run a local SNS endpoint; everything is in memory and gone when it stops")
    .addOption(portOption(4002))
    .option("--host <address>", "the address to listen on", "127.0.0.1")
    .option("--region <region>", "the region of its topics", "us-east-1")
    .option("--topic <name...>", "topics to create at the start", ["invoice-events"])
    .action(async (options: { port: number; host: string; region: string; topic: string[] }) => {
      const { startLocalSns } = await import("../../sandbox/sns/start-local-sns.ts");
      const { LOCAL_AWS_CREDENTIALS } = await import("../../app/dev-settings.ts");
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
