/**
 * `npm run lab` lists the labs, `npm run lab -- <name> [options]` runs one, and `npm run lab -- changed` what the
 * changes since the merge base touch, which CI does. Exits with 1 on a finding, with 2 for an unknown name.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { installTools } from "../tools/tools.ts";
import { LABS, type Lab } from "./labs.ts";

const ROOT = resolve(import.meta.dirname, "..");

const say = (line: string) => void process.stdout.write(`${line}\n`);

/** The command line of a lab. */
function commandOf(name: string, lab: Lab, words: readonly string[]): string[] {
  if (lab.program !== undefined) return [process.execPath, join("lab", name, lab.program), ...words];
  return [join(ROOT, "node_modules/.bin/vitest"), "run", "--project", "lab", `lab/${name}/`, ...words];
}

/** Installs what Debian has of it, where something lacks. */
function installPackages(packages: readonly string[]): void {
  const lacking = [...new Set(packages)].filter((name) => {
    // A machine may have newer compilers from elsewhere.
    const program = { golang: "go", maven: "mvn" }[name];
    if (program !== undefined && spawnSync("which", [program]).status === 0) return false;
    const { stdout } = spawnSync("dpkg", ["-s", name], { encoding: "utf8" });
    return !stdout?.includes("Status: install ok installed");
  });
  if (lacking.length === 0) return;
  if (process.getuid?.() !== 0)
    throw new Error(`Install ${lacking.join(", ")}, or run this as root on Debian.`);
  say(`installing ${lacking.join(" ")}`);
  // The package of Postgres must not start a cluster of its own.
  const own = "/etc/postgresql-common/createcluster.conf";
  mkdirSync("/etc/postgresql-common", { recursive: true });
  if (!existsSync(own)) writeFileSync(own, "create_main_cluster = false\n");
  const apt = (...words: string[]) =>
    execFileSync("apt-get", [...words, "-qq"], {
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      stdio: ["ignore", "ignore", "inherit"],
    });
  apt("update");
  apt("install", "-y", "--no-install-recommends", ...lacking);
}

/** Files changed since the branch left main; null where that cannot be told, as on main itself. */
function changedFiles(): string[] | null {
  const git = (...words: string[]) => {
    const { status, stdout } = spawnSync("git", words, { cwd: ROOT, encoding: "utf8" });
    return status === 0 ? stdout.trim() : null;
  };
  const head = git("rev-parse", "HEAD");
  const base = [process.env.CI_BASE, "origin/main", "main"]
    .filter((name) => name !== undefined && name !== "")
    .map((name) => git("merge-base", name as string, "HEAD"))
    .find((commit) => commit !== null);
  if (base === undefined || base === head) return null;
  return git("diff", "--name-only", base as string)?.split("\n") ?? null;
}

const isBelow = (file: string, path: string) => file === path || file.startsWith(`${path}/`);

/** What CI runs of the labs: each quick command line of those that a change touches, of all without a base. */
function touched(files: string[] | null): [name: string, lab: Lab][] {
  return Object.entries(LABS).filter(
    ([name, { quick, paths = [] }]) =>
      quick !== undefined &&
      (files === null || files.some((file) => [`lab/${name}`, ...paths].some((path) => isBelow(file, path)))),
  );
}

/** Runs a command, its output kept until its end. @returns whether it passed. */
async function runQuietly(title: string, command: readonly string[]): Promise<boolean> {
  const startedAt = performance.now();
  const [program = "", ...words] = command;
  const child = spawn(program, words, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe"] });
  const output: Buffer[] = [];
  child.stdout.on("data", (piece) => output.push(piece));
  child.stderr.on("data", (piece) => output.push(piece));
  const code = await new Promise((done) => child.on("close", done));
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  if (code !== 0) process.stdout.write(Buffer.concat(output));
  say(`${code === 0 ? "passed" : "FAILED"} in ${seconds} s: ${title}`);
  return code === 0;
}

/** Two at a time; of those that build in the checkout, one. */
async function runTouched(): Promise<boolean> {
  const files = changedFiles();
  const labs = touched(files);
  say(files === null ? "no base to compare with: every quick lab" : `${files.length} changed files`);
  installPackages(labs.flatMap(([, { packages = [] }]) => packages));
  installTools();
  const failed: string[] = [];
  const waiting = labs.flatMap(([name, lab]) => (lab.quick ?? []).map((words) => ({ name, lab, words })));
  let isBuilding = false;
  const take = async (): Promise<void> => {
    const next = waiting.findIndex(({ lab }) => !(lab.builds && isBuilding));
    const [run] = next < 0 ? [] : waiting.splice(next, 1);
    if (run === undefined) return;
    const { name, lab, words } = run;
    if (lab.builds) isBuilding = true;
    const title = `${name} ${words}`.trim();
    if (!(await runQuietly(title, commandOf(name, lab, words.split(" ").filter(Boolean)))))
      failed.push(title);
    if (lab.builds) isBuilding = false;
    await take();
  };
  // Those that build first: they cannot wait for one another at the end.
  waiting.sort((one, other) => Number(other.lab.builds ?? false) - Number(one.lab.builds ?? false));
  await Promise.all([take(), take()]);
  say(failed.length === 0 ? `green: ${labs.length} labs` : `red: ${failed.join("; ")}`);
  return failed.length === 0;
}

async function main([name, ...words]: string[]): Promise<number> {
  if (name === "changed") return (await runTouched()) ? 0 : 1;
  const lab = LABS[name ?? ""];
  if (name === undefined || lab === undefined) {
    say("npm run lab -- <name> [options]\n");
    for (const [each, { about }] of Object.entries(LABS)) say(`  ${each.padEnd(14)} ${about}`);
    say(`  ${"changed".padEnd(14)} what CI runs: the quick part of what the changes since main touch`);
    return name === undefined ? 0 : 2;
  }
  installPackages(lab.packages ?? []);
  if (lab.program === undefined) installTools();
  const [program = "", ...args] = commandOf(name, lab, words);
  return spawnSync(program, args, { cwd: ROOT, stdio: "inherit" }).status ?? 1;
}

process.exitCode = await main(process.argv.slice(2));
