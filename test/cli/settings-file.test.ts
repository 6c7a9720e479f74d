import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { writeLocalSettings } from "../../src/app/dev-settings.ts";
import { readSettingsFile } from "../../src/cli/settings-file.ts";
import { runCli } from "../support/cli-process.ts";
import { TOKEN } from "../support/relay.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

async function settingsFile(text: string): Promise<string> {
  const folder = await temporaryFolder();
  const file = join(folder, ".env");
  await writeFile(file, text);
  return file;
}

describe("--settings", () => {
  it("reads what the environment does not say, before or after the command's name", async () => {
    const file = await settingsFile(
      `# a comment\nPUBLIC_URL=https://file.example.com\nCALLBACK_TOKENS="${TOKEN}"\n`,
    );
    const before = await runCli(["--settings", file, "callback-url"]);
    expect(before.stdout).toBe(`https://file.example.com/callbacks/${TOKEN}\n`);
    const after = await runCli(["callback-url", "--settings", file], {
      PUBLIC_URL: "https://env.example.com",
    });
    expect(after.stdout).toBe(`https://env.example.com/callbacks/${TOKEN}\n`);
  });

  it("with .env.example as it is, says what is still to be filled in", async () => {
    const { code, stderr } = await runCli(["--settings", ".env.example", "serve"]);
    expect(code).toBe(2);
    expect(stderr.match(/ is missing\. /g)).toHaveLength(7);
  });
});

describe("a settings file with what is no setting", () => {
  it("is refused, each with its line and the likely one", async () => {
    const file = await settingsFile(
      "# comment\nCALLBACK_TOKEN=hush-hush-0123456789abcd\nexport DATABSE_URL=postgres://x\n\nAPI_KEY=hush\nCOLOUR=red\nCOLLECTION_IDS none\n",
    );
    const { code, stdout, stderr } = await runCli(["--settings", file, "doctor"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toBe(`The settings file ${file} needs attention:
  line 2: CALLBACK_TOKEN is not a setting. Did you mean CALLBACK_TOKENS?
  line 3: DATABSE_URL is not a setting. Did you mean DATABASE_URL?
  line 5: API_KEY is not a setting. Did you mean COLLECTION_API_KEY?
  line 6: COLOUR is not a setting.
  line 7: should be NAME=value.
docs/settings.md lists all settings.
`);
  });

  it("takes what others read from it: the AWS SDK, Compose, Node, and a SOURCES_FILE's secrets", async () => {
    const sources = await settingsFile('{"sources":[{"collectionApiKey":"env:SHOP_KEY"}]}');
    const file = await settingsFile(
      `PUBLIC_URL=https://a.example.com\nCALLBACK_TOKENS=${TOKEN}\nAWS_PROFILE=x\nPOSTGRES_PASSWORD=x\nRELAY_POSTGRES_PASSWORD=x\nRELAY_PORT=1\nPG_KEY="of\n\nlines" # "one\nNODE_EXTRA_CA_CERTS=/x\nHTTPS_PROXY=http://x\n`,
    );
    expect((await runCli(["--settings", file, "callback-url"])).code).toBe(0);
    const named = await settingsFile(`SOURCES_FILE=${sources}\nSHOP_KEY=x\nSHOP_KEYS=x\n`);
    const { stderr } = await runCli(["--settings", named, "callback-url"]);
    expect(stderr).toContain("SHOP_KEYS is not a setting");
    expect(stderr).not.toContain("SHOP_KEY is no setting");
  });
});

describe("the settings file that dev writes", () => {
  it.each([
    ["plain"],
    ["a b"],
    ["it's"],
    ["`it's`"],
    [`a"b" 'c' \`d\``],
    ["'`\\n"],
    ["'\"\\n"],
    [""],
    ["\n#x"],
  ])("holds %j as it is", async (value) => {
    const file = await writeLocalSettings(await temporaryFolder(), { CALLBACK_ACK_BODY: value, PORT: "1" });
    expect(await readSettingsFile(file)).toEqual({ CALLBACK_ACK_BODY: value, PORT: "1" });
  });

  it.each(["hush # '`\"", `"hush" '\`\\n`])(
    "refuses %j, which no quotes can hold, and does not say it",
    async (value) => {
      const written = writeLocalSettings(await temporaryFolder(), { CALLBACK_ACK_BODY: value });
      await expect(written).rejects.toThrow(/^CALLBACK_ACK_BODY cannot be written to (?!.*hush)/);
    },
  );
});
