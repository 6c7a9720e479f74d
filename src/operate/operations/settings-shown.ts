import { z } from "zod";
import { answeredId } from "./fields.ts";

export const settingsShown = z.object({
  version: z.string(),
  on: z.array(z.string()).describe("What this process does with these settings."),
  off: z.array(z.string()),
  callbackUrls: z
    .array(
      z.object({
        source: z.string(),
        url: z.string().describe("The URL to create invoices with; its token is *** for the role read."),
        warnings: z.array(z.string()).describe("What may prevent the provider from calling it."),
      }),
    )
    .describe("One for each source, with its first token."),
  sources: z.array(
    z.object({
      name: z.string(),
      providerUrl: z.string(),
      collectionIds: z.array(answeredId),
      reconciliation: z.enum(["on", "none", "unset"]),
      topicArn: z.string(),
      testTopicArn: z.string().nullable(),
    }),
  ),
  replayTopicArns: z.array(z.string()),
  settings: z.array(
    z.object({
      name: z.string(),
      about: z.string(),
      value: z.string().nullable().describe("`***` for a secret; null if not set."),
      given: z.boolean().describe("Whether the environment sets it or it is the default."),
    }),
  ),
});
export type SettingsShown = z.output<typeof settingsShown>;
