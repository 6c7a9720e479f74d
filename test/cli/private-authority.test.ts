import { describe, expect, it } from "vitest";
import { runCli, runCliProcess } from "../support/cli-process.ts";
import { ownDatabaseUrl } from "../support/database.ts";
import { tlsInFront } from "../support/tls-in-front.ts";

const list = (DATABASE_URL: string) => runCli(["dead", "list"], { DATABASE_URL });
/** Node reads NODE_EXTRA_CA_CERTS when it starts. */
const listKnowing = (DATABASE_URL: string, NODE_EXTRA_CA_CERTS: string) =>
  runCliProcess(["dead", "list"], { DATABASE_URL, NODE_EXTRA_CA_CERTS });

describe("a database whose certificate is from a private authority, with sslmode=verify-full", () => {
  it("is refused while nobody vouches for the authority, in words that say what to do", async () => {
    const { url } = await tlsInFront(await ownDatabaseUrl(), { ip: "127.0.0.1" });
    const { code, stderr } = await list(`${url}?sslmode=verify-full`);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/sslrootcert=<file>.*NODE_EXTRA_CA_CERTS/),
    });
  });

  it("is trusted with sslrootcert in DATABASE_URL, or with NODE_EXTRA_CA_CERTS", async () => {
    const { url, authority } = await tlsInFront(await ownDatabaseUrl(), { ip: "127.0.0.1" });
    const named = await list(`${url}?sslmode=verify-full&sslrootcert=${encodeURIComponent(authority)}`);
    expect(named).toMatchObject({ code: 0, stderr: "" });
    const known = await listKnowing(`${url}?sslmode=verify-full`, authority);
    expect(known).toMatchObject({ code: 0, stderr: "" });
  });

  it("is refused all the same when the certificate is for another host", async () => {
    const { url, authority } = await tlsInFront(await ownDatabaseUrl(), { dns: "db.example.com" });
    const { code, stderr } = await listKnowing(`${url}?sslmode=verify-full`, authority);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining("ERR_TLS_CERT_ALTNAME_INVALID"),
    });
  });
});
