import { DatabaseError } from "pg";
import { expect, it } from "vitest";
import { databaseFault } from "../../src/cli/report-error.ts";

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
