import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from "../../../src/sandbox/postgres/start-embedded-postgres.ts";
import { queryOn } from "../../support/database.ts";
import { ownPort } from "../../support/own-port.ts";
import { type Holding, holdInAnotherProcess, isAlive, killHard } from "./embedded-holding.ts";

let folder: string;
let dataDir: string;
const running: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "invoice-relay-embedded-"));
  // Whoever has to run Postgres here may enter; lab/ closes the folders.
  await chmod(folder, 0o711);
  dataDir = await openFolder("data");
});

afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function openFolder(name: string): Promise<string> {
  await mkdir(join(folder, name));
  await chmod(join(folder, name), 0o711);
  return join(folder, name);
}

async function start(options: { dataDir?: string; port?: number } = {}): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, ...options });
  running.push(postgres);
  return postgres;
}

async function hold(): Promise<Holding> {
  const holding = await holdInAnotherProcess(dataDir);
  running.push({ stop: holding.end });
  return holding;
}

it("works in UTF8, locale C and UTC, and forces every commit to the disk", async () => {
  const { url } = await start();
  const [settings] = await queryOn(
    url,
    `select current_database() as database, current_setting('TimeZone') as zone,
      current_setting('fsync') as fsync,
       current_setting('full_page_writes') as pages, current_setting('synchronous_commit') as commit,
       pg_encoding_to_char(encoding) as encoding, datcollate as collation
     from pg_database where datname = current_database()`,
  );
  expect(settings).toEqual({
    database: "invoice_relay",
    zone: "UTC",
    fsync: "on",
    pages: "on",
    commit: "on",
    encoding: "UTF8",
    collation: "C",
  });
});

it("is closed to everyone without the data dir's password, and to other machines", async () => {
  const { url } = await start();
  const closed = new URL(url);
  for (const password of ["", "postgres", "password"]) {
    closed.password = password;
    await expect(queryOn(closed.href, "select 1")).rejects.toThrow(/password/i);
  }
  expect(await queryOn(url, "show listen_addresses")).toEqual([{ listen_addresses: "127.0.0.1" }]);
  expect(await queryOn(url, "show unix_socket_directories")).toEqual([{ unix_socket_directories: "" }]);
  const rules = await queryOn(url, "select distinct auth_method from pg_hba_file_rules");
  expect(rules).toEqual([{ auth_method: "scram-sha-256" }]);
  expect((await stat(join(dataDir, "password"))).mode & 0o777).toBe(0o600);
});

it("stops although sessions are open", async () => {
  const postgres = await start();
  const asleep = queryOn(postgres.url, "select pg_sleep(3600)").catch((error) => error.message);
  const sleepers = "select 1 from pg_stat_activity where wait_event = 'PgSleep'";
  await expect.poll(() => queryOn(postgres.url, sleepers)).toHaveLength(1);
  await postgres.stop();
  expect(await asleep).toMatch(/terminat/);
});

it("takes the wanted port, and a free one when that is taken", async () => {
  const taken = await ownPort();
  const other = createServer().listen(taken, "127.0.0.1");
  await once(other, "listening");
  const elsewhere = await start({ port: taken });
  expect(elsewhere.port).not.toBe(taken);
  await elsewhere.stop();
  other.close();
  await once(other, "close");
  expect((await start({ port: taken })).port).toBe(taken);
});

it("refuses a data dir that another living process uses, and says which", async () => {
  const { holder, url } = await hold();
  await expect(start()).rejects.toThrow(`(pid ${holder.pid})`);
  expect(await queryOn(url, "select 1 as one")).toEqual([{ one: 1 }]);
});

it("says which data dir cannot be used", async () => {
  const file = join(folder, "a-file");
  await writeFile(file, "");
  await expect(start({ dataDir: join(file, "data") })).rejects.toThrow(
    `cannot write to ${join(file, "data")}`,
  );
});

it("keeps no parent from ending, and ends with it", async () => {
  const source = join(import.meta.dirname, "../../../src/sandbox/postgres/start-embedded-postgres.ts");
  const program = `const { startEmbeddedPostgres } = await import(${JSON.stringify(source)});
    console.log((await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)} })).url);`;
  const parent = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [url] = await Promise.all([text(parent.stdout), once(parent, "exit")]);
  expect(url).toMatch(/^postgres:/);
  const next = await start();
  expect(await queryOn(next.url, "select 1 as one")).toEqual([{ one: 1 }]);
});

it("ends with a parent that is killed, and every commit is there afterwards", async () => {
  const { holder, serverPid, url } = await hold();
  await queryOn(url, "create table survived as select 11 as number");
  await killHard(holder);
  // At once: the old server may still be shutting down.
  const next = await start();
  expect(isAlive(serverPid)).toBe(false);
  expect(await queryOn(next.url, "select number from survived")).toEqual([{ number: 11 }]);
});

it("begins anew after an initdb that was cut short", async () => {
  const cut = await openFolder("cut-short");
  await mkdir(join(cut, "initdb-abc/base"), { recursive: true });
  await writeFile(join(cut, "initdb-abc/PG_VERSION"), "18\n");
  const { url } = await start({ dataDir: cut });
  expect(await queryOn(url, "select 1 as one")).toEqual([{ one: 1 }]);
  expect((await readdir(cut)).filter((name) => name.startsWith("initdb-"))).toEqual([]);
});

it("says what to do when the password is lost", async () => {
  await (await start()).stop();
  const file = join(dataDir, "password");
  const password = await readFile(file, "utf8");
  await rm(file);
  await expect(start()).rejects.toThrow(/password cannot be read.*Restore it, or remove/);
  await writeFile(file, password, { mode: 0o600 });
  expect(await queryOn((await start()).url, "select 1 as one")).toEqual([{ one: 1 }]);
});

it("says what Postgres says when it does not start, and gives the data dir back", async () => {
  await (await start()).stop();
  const settings = join(dataDir, "cluster/postgresql.conf");
  const good = await readFile(settings, "utf8");
  await writeFile(settings, "no_such_setting = on\n");
  await expect(start()).rejects.toThrow(/no_such_setting/);
  await writeFile(settings, good);
  expect(await queryOn((await start()).url, "select 1 as one")).toEqual([{ one: 1 }]);
});
