import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import {
  SECRET_SETTINGS,
  SETTING_NAMES,
  settingsSchema,
  TO_FILL_IN,
} from "../../src/platform/config/settings.ts";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

describe("the documented settings", () => {
  it(".env.example, read as it is, sets nothing: what serve needs is missing rather than made up", () => {
    const given = parseEnv(read(".env.example"));
    expect(Object.keys(given).sort()).toEqual([...TO_FILL_IN, "ADMIN_TOKENS"].sort());
    expect(TO_FILL_IN).toContain("COLLECTION_IDS");
    expect(Object.values(given).join("")).toBe("");
  });

  it.each(Object.entries(settingsSchema.shape))("%s says what it is for", (_, { description }) => {
    expect(description).toMatch(/^[A-Z].{10,}\.$/s);
  });
});

/** What these files name besides settings: variables of Postgres, Node, Lambda and of the files themselves. */
const OF_OTHERS =
  /^(PG|POSTGRES_|RELAY_|NODE_)|^(SETTINGS_PATH|SECRET_SETTINGS|INVOICE_RELAY_VERSION|DATABASE_PROXY)$|^(CONFIRM|PUBLISH)_QUEUE_URL$|^DATABASE_URL_(RECEIVER|WORKER|OWNER)$/;

describe("where settings are deployed", () => {
  it.each([
    ...["compose.yaml", "serverless.yml", "deploy/lambda/functions.cjs", "deploy/lambda/stage.cjs"],
    ...[
      "deploy/lambda/stages/example.yml",
      "deploy/kubernetes/config.yaml",
      "deploy/kubernetes/receiver.yaml",
    ],
    ...[
      "deploy/kubernetes/workers.yaml",
      "deploy/kubernetes/migrate.yaml",
      "deploy/kubernetes/retention.yaml",
    ],
  ])("%s names settings that there are", (file) => {
    const keys = read(file).matchAll(/^[\s-]*([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+):|\bname: ([A-Z][A-Z0-9_]+)$/gm);
    const quoted = file.endsWith(".cjs") ? read(file).matchAll(/"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)["=]/g) : [];
    const named = [...keys, ...quoted].map(([, one, other]) => one ?? other ?? "");
    expect(named.length).toBeGreaterThan(0);
    expect(
      named.filter((name) => !SETTING_NAMES.some((known) => known === name) && !OF_OTHERS.test(name)),
    ).toEqual([]);
  });
});

it("a secret setting is one whose name says so, and no other", () => {
  const sounding = SETTING_NAMES.filter((name) =>
    /(KEY|TOKENS?|SECRETS|_HEADERS)$|^(DATABASE|ALARM_WEBHOOK)_URL$/.test(name),
  );
  expect(SECRET_SETTINGS).toEqual(sounding);
});
