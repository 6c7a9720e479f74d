import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCli } from "../support/cli-process.ts";
import { TOKEN } from "../support/relay.ts";

async function settingsFile(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "invoice-relay-settings-"));
  onTestFinished(() => rm(folder, { recursive: true }));
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
    expect(code).toBe(1);
    expect(stderr.match(/ is missing\. /g)).toHaveLength(7);
  });
});
