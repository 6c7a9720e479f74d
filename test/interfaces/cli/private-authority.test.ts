import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { generate } from "selfsigned";
import { expect, it, onTestFinished } from "vitest";
import { runCliProcess } from "../../support/cli-process.ts";
import { ownDatabaseUrl } from "../../support/database.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** What a Postgres client sends first when it wishes for TLS, and the answer. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/**
 * TLS in front of a Postgres, as a managed one has it: its certificate is for these names, from an authority
 * that nobody knows. Gone with the test.
 * @returns its URL, without a word on how to verify it, and the file with the authority's certificate
 */
async function tlsInFront(databaseUrl: string, altName: { dns: string } | { ip: string }) {
  const authority = await generate([{ name: "commonName", value: "Private Authority" }], {
    extensions: [{ name: "basicConstraints", cA: true, critical: true }],
  });
  const name = "ip" in altName ? { type: 7 as const, ...altName } : { type: 2 as const, value: altName.dns };
  const leaf = await generate([{ name: "commonName", value: "database" }], {
    ca: { key: authority.private, cert: authority.cert },
    extensions: [{ name: "subjectAltName", altNames: [name] }],
  });
  const file = join(await temporaryFolder(), "authority.pem");
  await writeFile(file, authority.cert);
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer(async (plain) => {
    sockets.add(plain.on("error", () => undefined));
    const [first] = (await once(plain, "data")) as [Buffer];
    if (!first.equals(SSL_REQUEST)) return void plain.destroy();
    plain.write("S");
    const secured = new TLSSocket(plain, { isServer: true, key: leaf.private, cert: leaf.cert });
    const database = connect(Number(port), hostname);
    sockets.add(database);
    for (const socket of [secured, database]) socket.on("error", () => undefined);
    secured.pipe(database).pipe(secured);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = new URL(databaseUrl);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return { url: url.href, authority: file };
}

it.each([
  ["is refused while nobody vouches for it", { ip: "127.0.0.1" }, "nobody", 2],
  ["is trusted with sslrootcert", { ip: "127.0.0.1" }, "sslrootcert", 0],
  ["is trusted with NODE_EXTRA_CA_CERTS", { ip: "127.0.0.1" }, "Node", 0],
  ["is refused all the same for another host", { dns: "db.example.com" }, "Node", 2],
])("a private authority's certificate, with sslmode=verify-full, %s", async (_, altName, trust, code) => {
  const { url, authority } = await tlsInFront(await ownDatabaseUrl(), altName);
  const query = trust === "sslrootcert" ? `&sslrootcert=${encodeURIComponent(authority)}` : "";
  // Node reads NODE_EXTRA_CA_CERTS when it starts.
  const ended = await runCliProcess(["dead", "list"], {
    DATABASE_URL: `${url}?sslmode=verify-full${query}`,
    NODE_EXTRA_CA_CERTS: trust === "Node" ? authority : "",
  });
  expect([ended.code, ended.stderr === ""]).toEqual([code, code === 0]);
  if (code !== 0)
    expect(ended.stderr).toMatch(/sslrootcert=.*NODE_EXTRA_CA_CERTS|ERR_TLS_CERT_ALTNAME_INVALID/);
});
