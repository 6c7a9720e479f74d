import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type CliProcess, runCli, runCliProcess, startCli } from "../../support/cli-process.ts";
import { createEmptyTestDatabase, ownDatabaseUrl } from "../../support/database.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

async function stops(service: CliProcess): Promise<void> {
  service.child.kill("SIGTERM");
  expect(await service.ended).toBe(0);
  expect(service.output.stderr).toBe("");
}

/** Settings as a service prints them for a relay. */
const blockOf = ({ output }: CliProcess) => output.stdout.split("\n\n")[1] ?? "";

describe("the local services, each alone", () => {
  it("say which settings a relay takes, which are what it needs; they work, and stop at SIGTERM", async () => {
    const DATABASE_URL = await ownDatabaseUrl(createEmptyTestDatabase);
    const collections = startCli(["collection-service", "--port", "0"], { DATABASE_URL });
    const sns = startCli(["local-sns", "--port", "0"]);
    await Promise.all([collections.says("COLLECTION_IDS="), sns.says("AWS_SECRET_ACCESS_KEY=")]);
    const blocks = [blockOf(collections), blockOf(sns)].join("\n");
    expect(blocks.split("\n").map((line) => line.split("=")[0])).toEqual([
      ...["COLLECTION_API_URL", "COLLECTION_API_KEY", "COLLECTION_IDS", "SNS_TOPIC_ARN", "AWS_REGION"],
      ...["AWS_ENDPOINT_URL_SNS", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
    ]);
    const folder = await temporaryFolder();
    const file = join(folder, "local.env");
    const rest = `DATABASE_URL=${DATABASE_URL}\nPUBLIC_URL=http://127.0.0.1:4000\nCALLBACK_TOKENS=${"t".repeat(22)}`;
    await writeFile(file, `${blocks}\n${rest}`);
    expect((await runCli(["--settings", file, "migrate"])).code).toBe(0);
    const { stdout } = await runCliProcess(["--settings", file, "doctor", "--json"]);
    const { checks } = JSON.parse(stdout) as { checks: { about: string; state: string; says: string }[] };
    const outside = checks.filter(({ about }) => /^(settings|provider|topic)/.test(about));
    expect(outside.length).toBeGreaterThan(3);
    expect(outside.filter(({ state }) => state === "fault")).toEqual([]);
    await Promise.all([stops(collections), stops(sns)]);
  });
});
