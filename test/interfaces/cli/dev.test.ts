import { describe, expect, it } from "vitest";
import { runCli } from "../../support/cli-process.ts";
import { startHarness } from "../../support/relay.ts";

describe("invoice-relay dev with a database of somebody's", () => {
  it("refuses the database of a relay that publishes to Amazon, and leaves it as it is", async () => {
    const harness = await startHarness();
    await harness.query("insert into topic (arn) values ('arn:aws:sns:eu-west-1:123456789012:payments')");
    const { code, stdout, stderr } = await runCli(["dev", "--database"], {
      DATABASE_URL: harness.databaseUrl,
      PORT: "0",
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("arn:aws:sns:eu-west-1:123456789012:payments");
    expect(await harness.query("select 1 from source")).toEqual([]);
  });
});
