import { DatabaseError } from "pg";
import { expect, it } from "vitest";
import { errorReportOf } from "../../../src/interfaces/cli/program.ts";
import { databaseFault } from "../../../src/platform/errors/database-fault.ts";
import { runCli, runCliProcess } from "../../support/cli-process.ts";

const NOWHERE = { DATABASE_URL: "postgres://relay:hush-hush@127.0.0.1:1/relay" };

it("a stack is shown for LOG_LEVEL=debug only, and no password", async () => {
  const { stderr } = await runCli(["migrate"], { ...NOWHERE, LOG_LEVEL: "debug" });
  expect(stderr).toContain("    at ");
  expect(stderr).not.toContain("hush-hush");
});

it("the process ends with the command's exit code", async () => {
  expect((await runCliProcess(["migrate"], NOWHERE)).code).toBe(4);
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
  expect(errorReportOf(new TypeError("x is not a function"))).toMatchObject({ code: "unexpected" });
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
])("what serve waits for (%s), a command calls away too", (code, message) => {
  expect(databaseFault(refusal(code, message))?.code).toBe("database_away");
});

it("what waiting does not mend is told as such, and what is no fault of the database is none", () => {
  expect(databaseFault(refusal("28P01", "password authentication failed"))?.code).toBe("failed");
  expect(databaseFault(refusal("42703", 'column "x" does not exist'))).toBeNull();
  expect(databaseFault(new TypeError("x is not a function"))).toBeNull();
  const noFile = Object.assign(new Error("ENOENT: no such file"), { code: "ENOENT", syscall: "open" });
  expect(databaseFault(noFile)).toBeNull();
  expect(databaseFault(Object.assign(noFile, { syscall: "connect" }))?.code).toBe("database_away");
});
