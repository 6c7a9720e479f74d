import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { startEmbeddedPostgres } from "../../../src/sandbox/postgres/start-embedded-postgres.ts";
import { queryOn } from "../../support/database.ts";
import { ownPort } from "../../support/own-port.ts";

const SOURCE = join(import.meta.dirname, "../../../src/sandbox/postgres/start-embedded-postgres.ts");

let folder: string;
let dataDir: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "invoice-relay-embedded-"));
  // Another user perhaps has to run Postgres here, and may enter; lab/ closes the folders.
  await chmod(folder, 0o711);
  dataDir = join(folder, "data");
  await mkdir(dataDir);
  await chmod(dataDir, 0o711);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function start(options: { dataDir?: string; port?: number } = {}) {
  const postgres = await startEmbeddedPostgres({ dataDir, ...options });
  onTestFinished(postgres.stop);
  return postgres;
}

const works = async ({ url }: { url: string }) =>
  expect(await queryOn(url, "select 1 as one")).toEqual([{ one: 1 }]);

/** A process that starts the Postgres of the data dir, and lives on where it `stays`. */
async function inAnotherProcess(stays: boolean): Promise<{ url: string; parent: ChildProcess }> {
  const program = `const { startEmbeddedPostgres } = await import(${JSON.stringify(SOURCE)});
    console.log((await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)} })).url);
    if (${stays}) process.stdin.resume();`;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => ended(parent, "SIGKILL"));
  const [line] = await once(parent.stdout, "data");
  return { url: String(line).trim(), parent };
}

async function ended(process: ChildProcess, signal?: "SIGKILL"): Promise<void> {
  if (process.exitCode !== null || process.signalCode !== null) return;
  if (signal !== undefined) process.kill(signal);
  await once(process, "exit");
}

it("works in UTF8, locale C and UTC, and forces every commit to the disk", async () => {
  const { url } = await start();
  const [settings] = await queryOn(
    url,
    `select current_database() as database, current_setting('TimeZone') as zone,
       current_setting('fsync') as fsync, current_setting('full_page_writes') as pages,
       current_setting('synchronous_commit') as commit, pg_encoding_to_char(encoding) as encoding,
       datcollate as collation
     from pg_database where datname = current_database()`,
  );
  expect(settings).toEqual({
    ...{ database: "invoice_relay", zone: "UTC", encoding: "UTF8", collation: "C" },
    ...{ fsync: "on", pages: "on", commit: "on" },
  });
});

it("is closed to everyone without the data dir's password, and to other machines", async () => {
  const { url } = await start();
  const closed = new URL(url);
  closed.password = "postgres";
  await expect(queryOn(closed.href, "select 1")).rejects.toMatchObject({ code: "28P01" });
  const [access] = await queryOn(
    url,
    `select current_setting('listen_addresses') as addresses,
       current_setting('unix_socket_directories') as sockets,
       array(select distinct auth_method from pg_hba_file_rules) as methods`,
  );
  expect(access).toEqual({ addresses: "127.0.0.1", sockets: "", methods: ["scram-sha-256"] });
  expect((await stat(join(dataDir, "password"))).mode & 0o777).toBe(0o600);
});

it("takes the wanted port, and a free one when that is taken", async () => {
  const taken = await ownPort();
  const other = createServer().listen(taken, "127.0.0.1");
  await once(other, "listening");
  const elsewhere = await start({ port: taken });
  expect(elsewhere.port).not.toBe(taken);
  await elsewhere.stop();
  await new Promise((closed) => other.close(closed));
  expect((await start({ port: taken })).port).toBe(taken);
});

it("refuses a data dir that another living process uses, and names it", async () => {
  const other = await inAnotherProcess(true);
  await expect(start()).rejects.toThrow(dataDir);
  await works(other);
});

it("keeps no parent from ending, and ends with it", async () => {
  await ended((await inAnotherProcess(false)).parent);
  await works(await start());
});

it("ends with a parent that is killed, and every commit is there afterwards", async () => {
  const { url, parent } = await inAnotherProcess(true);
  await queryOn(url, "create table survived as select 11 as number");
  await ended(parent, "SIGKILL");
  // At once: the old server may still be shutting down.
  expect(await queryOn((await start()).url, "select number from survived")).toEqual([{ number: 11 }]);
});

it("names the data dir that cannot be used, the password file that is lost, and what Postgres refuses", async () => {
  await writeFile(join(folder, "a-file"), "");
  await expect(start({ dataDir: join(folder, "a-file/data") })).rejects.toThrow(join(folder, "a-file/data"));
  await (await start()).stop();
  const password = join(dataDir, "password");
  const settings = join(dataDir, "cluster/postgresql.conf");
  for (const [file, change, named] of [
    [password, () => rm(password), password],
    [settings, () => writeFile(settings, "no_such_setting = on\n"), "no_such_setting"],
  ] as const) {
    const good = await readFile(file);
    await change();
    await expect(start()).rejects.toThrow(named);
    await writeFile(file, good, { mode: 0o600 });
    const again = await start();
    await works(again);
    await again.stop();
  }
});
