import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSettingsFile } from "../../../src/interfaces/cli/settings-file.ts";
import { writeLocalSettings } from "../../../src/runtime/dev-environment.ts";
import { runCli } from "../../support/cli-process.ts";
import { TOKEN } from "../../support/relay.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

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

  it("takes what others read from it: the AWS SDK, Compose, Node, and a SOURCES_FILE's secrets", async () => {
    const sources = await settingsFile('{"sources":[{"collectionApiKey":"env:SHOP_KEY"}]}');
    const file = await settingsFile(
      `PUBLIC_URL=https://a.example.com\nCALLBACK_TOKENS=${TOKEN}\nAWS_PROFILE=x\nPOSTGRES_PASSWORD=x\nRELAY_POSTGRES_PASSWORD=x\nRELAY_PORT=1\nPG_KEY="of\n\nlines" # "one\nNODE_EXTRA_CA_CERTS=/x\nHTTPS_PROXY=http://x\n`,
    );
    expect((await runCli(["--settings", file, "callback-url"])).code).toBe(0);
    const named = await settingsFile(`SOURCES_FILE=${sources}\nSHOP_KEY=x\nSHOP_KEYS=x\n`);
    const { stderr } = await runCli(["--settings", named, "callback-url"]);
    expect(stderr.match(/SHOP_KEYS?\b/g)).toEqual(["SHOP_KEYS"]);
  });
});

describe("the settings file that dev writes", () => {
  it("holds each value as it is", async () => {
    for (const value of ["plain", "a b", "it's", "`it's`", `a"b" 'c' \`d\``, "'`\\n", "'\"\\n", "", "\n#x"]) {
      const file = await writeLocalSettings(await temporaryFolder(), { CALLBACK_ACK_BODY: value, PORT: "1" });
      expect(await readSettingsFile(file)).toEqual({ CALLBACK_ACK_BODY: value, PORT: "1" });
    }
  });

  it.each(["hush # '`\"", `"hush" '\`\\n`])(
    "refuses %j, which no quotes can hold, and does not say it",
    async (value) => {
      const written = writeLocalSettings(await temporaryFolder(), { CALLBACK_ACK_BODY: value });
      await expect(written).rejects.toThrow(/^CALLBACK_ACK_BODY (?!.*hush)/);
    },
  );
});
