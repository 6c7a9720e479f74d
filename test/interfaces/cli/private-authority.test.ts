import { expect, it } from "vitest";
import { runCliProcess } from "../../support/cli-process.ts";
import { ownDatabaseUrl } from "../../support/database.ts";
import { tlsInFront } from "../../support/tls-in-front.ts";

it.each<
  [string, { ip?: string; dns?: string }, (authority: string) => [query: string, known: string], number]
>([
  ["is refused while nobody vouches for it", { ip: "127.0.0.1" }, () => ["", ""], 2],
  [
    "is trusted with sslrootcert",
    { ip: "127.0.0.1" },
    (file) => [`&sslrootcert=${encodeURIComponent(file)}`, ""],
    0,
  ],
  ["is trusted with NODE_EXTRA_CA_CERTS", { ip: "127.0.0.1" }, (file) => ["", file], 0],
  ["is refused all the same for another host", { dns: "db.example.com" }, (file) => ["", file], 2],
])(
  "a database's certificate of a private authority, with sslmode=verify-full, %s",
  async (_, altName, trust, code) => {
    const { url, authority } = await tlsInFront(await ownDatabaseUrl(), altName);
    const [query, NODE_EXTRA_CA_CERTS] = trust(authority);
    const DATABASE_URL = `${url}?sslmode=verify-full${query}`;
    // Node reads NODE_EXTRA_CA_CERTS when it starts.
    const ended = await runCliProcess(["dead", "list"], { DATABASE_URL, NODE_EXTRA_CA_CERTS });
    expect([ended.code, ended.stderr === ""]).toEqual([code, code === 0]);
    if (code !== 0)
      expect(ended.stderr).toMatch(/sslrootcert=.*NODE_EXTRA_CA_CERTS|ERR_TLS_CERT_ALTNAME_INVALID/);
  },
);
