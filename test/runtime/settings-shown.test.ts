import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { readSettings, SERVE_REQUIRES, sourcesOf } from "../../src/platform/config/settings.ts";
import { whatIsOn } from "../../src/runtime/operation-parts.ts";
import { ownRelay, TOKEN } from "../support/relay.ts";

const ENVIRONMENT = {
  ...{ PUBLIC_URL: "https://relay.example.com", DATABASE_URL: "postgres://localhost/relay" },
  ...{ COLLECTION_API_URL: "https://provider.example.com", COLLECTION_API_KEY: "planted-api-key" },
  ...{ CALLBACK_TOKENS: TOKEN, AWS_REGION: "eu-west-1" },
  SNS_TOPIC_ARN: "arn:aws:sns:eu-west-1:123456789012:invoice-events",
};

const decided = (changes: Record<string, string> = {}) => {
  const settings = readSettings({ ...ENVIRONMENT, ...changes }, SERVE_REQUIRES);
  return whatIsOn(settings, sourcesOf(settings));
};

it("what the settings leave out is named as off, and what they name as on", () => {
  const names = ["COLLECTION_IDS", "ALARM_WEBHOOK_URL"].map((name) => expect.stringContaining(`(${name})`));
  expect(decided().off).toEqual(expect.arrayContaining(names));
  const filled = decided({
    COLLECTION_IDS: randomUUID(),
    ALARM_WEBHOOK_URL: "https://hooks.example.com/planted",
  });
  expect(filled.on).toEqual(expect.arrayContaining(names));
  expect(JSON.stringify(filled)).not.toContain("planted");
});

it("serve says so as it starts", async () => {
  const { relay } = await ownRelay({}, { http: true, workers: false });
  expect(relay.lines[0]).toMatchObject({ level: "info", off: expect.any(Array), sources: 1 });
});
