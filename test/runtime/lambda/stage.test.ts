import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { parse, stringify } from "yaml";
import { expectGolden } from "../../support/golden.ts";

const folder = resolve(import.meta.dirname, "../../../deploy/lambda");
const readStage: (given: { resolveVariable(name: string): Promise<string> }) => Promise<object> =
  createRequire(import.meta.url)(join(folder, "stage.cjs"));

/** Reads a stage whose file is the example with these changes. */
async function staged(stage: string, changes: object = {}): Promise<object> {
  const file = join(folder, `stages/${stage}.yml`);
  const example = parse(readFileSync(join(folder, "stages/example.yml"), "utf8"));
  writeFileSync(file, stringify({ ...example, ...changes }));
  onTestFinished(() => rmSync(file));
  return await readStage({ resolveVariable: async () => stage });
}

it("a stage that is the example is taken", async () => {
  expect(await staged("as-the-example")).toHaveProperty("settings");
});

it.each(["Prod", "a-name-that-is-much-too-long", "live-test"])("a stage called %s is refused", (stage) =>
  expect(staged(stage)).rejects.toThrow(),
);

/** Why a stage is refused, as people read it. */
const refusal = (taken: Promise<object>): Promise<string> =>
  taken.then(
    () => "taken",
    ({ message }: Error) => message,
  );

it("a stage is refused without a file, and with all that is wrong at once, and repeats no secret", async () => {
  const wrong = await refusal(
    staged("all-is-wrong", {
      ...{ region: "Frankfurt", subnetIds: [], alarmMail: "x@example.com", alarmEmail: undefined },
      callbackSecrets: ["HMAC"],
      settings: {
        COLLECTION_API_URL: "ftp://x",
        CALLBACK_HMAC_SECRETS: "hush-hush-0123456789",
        PUBLIC_URL: "https://x.example.com",
        LOG_LEVL: "info",
      },
    }),
  );
  const missing = await refusal(readStage({ resolveVariable: async () => "nowhere" }));
  expect(wrong).not.toContain("hush-hush");
  await expectGolden("stages-refused", `${missing}\n\n${wrong}\n`);
});
