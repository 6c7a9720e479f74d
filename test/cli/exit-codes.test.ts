import { randomUUID } from "node:crypto";
import { createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { errorReportOf } from "../../src/cli/report-error.ts";
import { runCli, runCliProcess } from "../support/cli-process.ts";
import { createTestDatabase } from "../support/database.ts";

const NOWHERE = "postgres://relay:hush-hush@127.0.0.1:1/relay";

async function database(): Promise<{ DATABASE_URL: string }> {
  const { url, drop } = await createTestDatabase();
  onTestFinished(drop);
  return { DATABASE_URL: url };
}

/** A server that takes connections and says nothing. @returns its port */
async function silentServer(): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket.on("error", () => undefined)));
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

describe("exit codes, and errors with --json", () => {
  const id = randomUUID();
  it.each<[string, string[], () => Promise<Record<string, string>>, number, string, string]>([
    ["an unknown command", ["migrat"], async () => ({}), 2, "usage", "Did you mean migrate?"],
    ["an unknown option", ["serve", "--fast"], async () => ({}), 2, "usage", "unknown option '--fast'"],
    ["an argument left out", ["invoice"], async () => ({}), 2, "usage", "missing required argument 'id'"],
    ["an id that is none", ["erase", "42"], async () => ({}), 2, "usage", "should be an id"],
    ["a missing setting", ["migrate"], async () => ({}), 2, "settings", "DATABASE_URL is missing"],
    ["nothing of that id", ["invoice", id], database, 3, "not_found", id],
    ["nothing dead of that id", ["dead", "show", id], database, 3, "not_found", id],
    [
      "nothing dead of those ids",
      ["dead", "retry", id, randomUUID()],
      database,
      3,
      "not_found",
      "None of these",
    ],
    [
      "no such source to send for",
      ["pause", "publish", "--source", "nosuch"],
      database,
      3,
      "not_found",
      'no source "nosuch"',
    ],
    ["no such replay", ["replay", "show", id], database, 3, "not_found", id],
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

    const json = await runCli([...words, "--json"], given);
    expect({ code: json.code, stderr: json.stderr }).toEqual({ code, stderr: "" });
    expect(JSON.parse(json.stdout)).toEqual({
      error: { code: errorCode, message: expect.stringContaining(says) },
    });
  });

  it("are what the process ends with", async () => {
    expect((await runCliProcess(["migrate"], { DATABASE_URL: NOWHERE })).code).toBe(4);
  });

  it("a database that takes connections and says nothing has words as good as one that is not there", async () => {
    const environment = {
      DATABASE_URL: `postgres://relay:hush-hush@127.0.0.1:${await silentServer()}/relay`,
    };
    const { code, stderr } = await runCli(["dead", "list"], environment);
    expect(code).toBe(4);
    expect(stderr).toMatch(/^The database does not answer in time: .* DATABASE_URL\.\n$/);
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
