import { z } from "zod";
import { list, pageUrl, secretUrl, webhookSecret } from "./setting-formats.ts";

export const ALARM_SETTINGS = {
  ALARM_WEBHOOK_URL: secretUrl
    .optional()
    .describe("Where people are told of alarms, by a POST; invoice-relay alarms test tries it."),
  ALARM_WEBHOOK_FORMAT: z
    .enum(["generic", "slack", "text"], { error: "should be generic, slack or text" })
    .prefault("generic")
    .describe(
      "What that takes: generic is a text with the alarms beside it as JSON; slack is for Slack's incoming " +
        "webhooks and those made like them; text is the text alone, for Google Chat, Teams and other strict ones.",
    ),
  ALARM_WEBHOOK_SECRETS: list(webhookSecret)
    .optional()
    .describe("What those are signed with, as Standard Webhooks; several while you rotate them (whsec_…)."),
  RUNBOOK_URL: pageUrl
    .optional()
    .describe("Where docs/operations.md can be read; each alarm links to its heading there."),
};
