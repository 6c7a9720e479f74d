import { topicArn } from "./setting-formats.ts";
import { signingKey } from "./signing-key.ts";

/** What makes the ledger and certificates checkable by others. */
export const LEDGER_SETTINGS = {
  LEDGER_TOPIC_ARN: topicArn
    .optional()
    .describe(
      "The topic that takes the ledger's roots, signed, each hour: a copy out of the database's reach.",
    ),
  LEDGER_SIGNING_KEY: signingKey
    .optional()
    .describe("Signs certificates, month closings and roots; without it they are unsigned, and say so."),
};
