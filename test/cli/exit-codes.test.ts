import { randomUUID } from "node:crypto";
import { DatabaseError } from "pg";
import { describe, expect, it } from "vitest";
import { errorReportOf } from "../../src/cli/program.ts";
import { databaseFault } from "../../src/database/database-fault.ts";
import { runCli, runCliProcess } from "../support/cli-process.ts";
import { ownDatabaseUrl } from "../support/database.ts";

const NOWHERE = "postgres://relay:hush-hush@127.0.0.1:1/relay";

const database = async () => ({ DATABASE_URL: await ownDatabaseUrl() });

describe("exit codes, and errors with --json", () => {
  const id = randomUUID();
  it.each<[string, string[], () => Promise<Record<string, string>>, number, string, string]>([
    ["an unknown command", ["migrat"], async () => ({}), 2, "usage", "Did you mean migrate?"],
    ["an unknown option", ["serve", "--fast"], async () => ({}), 2, "usage", "unknown option '--fast'"],
    ["an argument left out", ["invoice"], async () => ({}), 2, "usage", "missing required argument 'id'"],
    [
      "two ends of one pause",
      ["pause", "confirm", "--for", "1h", "--until", "2126-01-01", "--reason", "a try"],
      async () => ({}),
      2,
      "usage",
      "--until",
    ],
    ["an id that is none", ["erase", "42"], async () => ({}), 2, "usage", "should be an id"],
    [
      "a port that is none",
      ["local-sns", "--port", "70000"],
      async () => ({}),
      2,
      "usage",
      "from 0 to 65535.",
    ],
    [
      "nothing left to do",
      ["serve", "--no-workers", "--workers-only"],
      async () => ({}),
      2,
      "usage",
      "nothing to do",
    ],
    [
      "no such file",
      ["--settings", "/nowhere/.env", "doctor"],
      async () => ({}),
      2,
      "settings",
      "/nowhere/.env cannot",
    ],
    ["a missing setting", ["migrate"], async () => ({}), 2, "settings", "DATABASE_URL is missing"],
    ["nothing of that id", ["invoice", id], database, 3, "not_found", id],
    [
      "no such source to ask",
      ["api", "get-banks", "--source", "nosuch"],
      async () => ({ COLLECTION_API_URL: "http://127.0.0.1:1", COLLECTION_API_KEY: "key" }),
      3,
      "not_found",
      'no source "nosuch". Choose one of these with --source: default.',
    ],
    [
      "no database",
      ["migrate"],
      async () => ({ DATABASE_URL: NOWHERE }),
      4,
      "database_away",
      "nothing listens",
    ],
    [
      "a provider that is away",
      ["api", "get-banks"],
      async () => ({ COLLECTION_API_URL: "http://127.0.0.1:1", COLLECTION_API_KEY: "key" }),
      4,
      "provider_away",
      "cannot be reached",
    ],
  ])("%s", async (_name, words, environment, code, errorCode, says) => {
    const given = await environment();
    const plain = await runCli(words, given);
    expect({ code: plain.code, stdout: plain.stdout }).toEqual({ code, stdout: "" });
    expect(plain.stderr).toContain(says);
    expect(plain.stderr).not.toMatch(/^ {4}at |hush-hush/m);

    const json = await runCli([...words, "--json"], given);
    expect({ code: json.code, stderr: json.stderr }).toEqual({ code, stderr: "" });
    expect(JSON.parse(json.stdout)).toEqual({
      error: { code: errorCode, message: expect.stringContaining(says) },
    });
  });

  it("name all settings that are missing or wrong at once, and never what a wrong one is", async () => {
    const { code, stdout, stderr } = await runCli(["serve"], {
      PORT: "70000",
      PUBLIC_URL: "http://relay.example.com",
      DATABASE_URL: "mysql://someone:hush-hush@localhost/x",
      CALLBACK_TOKENS: "short-and-secret",
      CONFIRM_TIMEOUT: "soon",
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    for (const problem of [
      "PORT should be a whole number from 0 to 65535",
      "PUBLIC_URL should start with https://",
      "DATABASE_URL should be a Postgres URL",
      "CALLBACK_TOKENS should be 22 or more characters",
      "CONFIRM_TIMEOUT should be a duration",
      ...["AWS_REGION", "COLLECTION_API_KEY", "COLLECTION_API_URL", "SNS_TOPIC_ARN"].map(
        (one) => `${one} is missing`,
      ),
    ])
      expect(stderr).toContain(`  ${problem}`);
    expect(stderr).not.toMatch(/hush-hush|short-and-secret/);
  });

  it("show a stack for LOG_LEVEL=debug only, and no password", async () => {
    const { stderr } = await runCli(["migrate"], { DATABASE_URL: NOWHERE, LOG_LEVEL: "debug" });
    expect(stderr).toContain("    at ");
    expect(stderr).not.toContain("hush-hush");
  });

  it("are what the process ends with", async () => {
    expect((await runCliProcess(["migrate"], { DATABASE_URL: NOWHERE })).code).toBe(4);
  });

  it.each([
    "timeout expired",
    "Query read timeout",
    "timeout exceeded when trying to connect",
    "Connection terminated due to connection timeout",
    "Connection terminated unexpectedly",
  ])("what pg says without a code counts as away: %s", (message) => {
    expect(errorReportOf(new Error(message)).code).toBe("database_away");
  });

  it("what nobody foresaw is called so", () => {
    expect(errorReportOf(new TypeError("x is not a function"))).toEqual({
      code: "unexpected",
      message: expect.stringContaining("did not expect: x is not a function"),
    });
  });
});

function refusal(code: string, message: string): DatabaseError {
  const error = new DatabaseError(message, message.length, "error");
  error.code = code;
  return error;
}

it.each([
  ["53100", "could not extend file: No space left on device"],
  ["25006", "cannot execute INSERT in a read-only transaction"],
  ["40001", "could not serialize access due to concurrent update"],
  ["57P03", "the database system is starting up"],
])("what serve waits for (%s), a command calls away too, and says why", (code, message) => {
  const fault = databaseFault(refusal(code, message));
  expect(fault?.code).toBe("database_away");
  expect(fault?.words).toMatch(code === "57P03" ? /starting or stopping/ : message);
});

it("what waiting does not mend is told as such, and what is no fault of the database is none", () => {
  expect(databaseFault(refusal("28P01", "password authentication failed"))?.code).toBe("failed");
  expect(databaseFault(refusal("42703", 'column "x" does not exist'))).toBeNull();
  expect(databaseFault(new TypeError("x is not a function"))).toBeNull();
  const noFile = Object.assign(new Error("ENOENT: no such file"), { code: "ENOENT", syscall: "open" });
  expect(databaseFault(noFile)).toBeNull();
  expect(databaseFault(Object.assign(noFile, { syscall: "connect" }))?.code).toBe("database_away");
});
