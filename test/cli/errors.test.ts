import { describe, expect, it } from "vitest";
import { runCli } from "../support/cli-process.ts";

describe("the command line, used wrongly", () => {
  it("lists all that is missing at once and starts nothing", async () => {
    const { code, stdout, stderr } = await runCli(["serve"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    for (const name of [
      "AWS_REGION",
      "CALLBACK_TOKENS",
      "COLLECTION_API_KEY",
      "COLLECTION_API_URL",
      "DATABASE_URL",
      "PUBLIC_URL",
      "SNS_TOPIC_ARN",
    ])
      expect(stderr).toContain(`  ${name} is missing. `);
    expect(stderr).not.toContain("    at ");
  });

  it("says of each wrong setting what it should be, and never what it is", async () => {
    const { code, stderr } = await runCli(["serve"], {
      PORT: "70000",
      PUBLIC_URL: "http://relay.example.com",
      DATABASE_URL: "mysql://someone:hush-hush@localhost/x",
      CALLBACK_TOKENS: "short-and-secret",
      CONFIRM_TIMEOUT: "soon",
    });
    expect(code).toBe(2);
    expect(stderr).toContain("PORT should be a whole number from 0 to 65535");
    expect(stderr).toContain("PUBLIC_URL should start with https://");
    expect(stderr).toContain("DATABASE_URL should be a Postgres URL");
    expect(stderr).toContain("CALLBACK_TOKENS should be 22 or more characters");
    expect(stderr).toContain("CONFIRM_TIMEOUT should be a duration");
    expect(stderr).toContain("SNS_TOPIC_ARN is missing");
    expect(stderr).not.toMatch(/hush-hush|short-and-secret/);
  });

  it.each([
    [["migrat"], "Did you mean migrate?"],
    [["serve", "--fast"], "unknown option '--fast'"],
    [["invoice"], "missing required argument 'id'"],
    [["local-sns", "--port", "70000"], "It should be a whole number from 0 to 65535."],
    [["serve", "--no-workers", "--workers-only"], "leave nothing to do"],
    [["--settings", "/nowhere/.env", "doctor"], "The settings file /nowhere/.env cannot be read"],
    [["dead", "show", "42"], "id should be an id (UUID)"],
  ])("%j is refused in plain words", async (words, said) => {
    const { code, stdout, stderr } = await runCli(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(said);
    expect(stderr).not.toContain("    at ");
  });

  it("says what to check when the database does not answer, with a stack only for LOG_LEVEL=debug", async () => {
    const environment = { DATABASE_URL: "postgres://relay:hush-hush@127.0.0.1:1/relay" };
    const quiet = await runCli(["migrate"], environment);
    expect(quiet.code).toBe(4);
    expect(quiet.stderr).toBe(
      "The database does not answer: nothing listens there. Is it running? Check DATABASE_URL.\n",
    );
    const loud = await runCli(["migrate"], { ...environment, LOG_LEVEL: "debug" });
    expect(loud.stderr).toContain("    at ");
    expect(loud.stderr).not.toContain("hush-hush");
  });

  it("without a command shows the help, and every command has a line in it", async () => {
    const { code, stdout } = await runCli([]);
    expect(code).toBe(0);
    for (const name of ["serve", "migrate", "doctor", "callback-url", "invoice", "dev", "demo"])
      expect(stdout).toMatch(new RegExp(`^  ${name} +(\\S.*)?\\S$`, "m"));
  });
});
