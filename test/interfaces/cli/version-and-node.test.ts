import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { runCliProcess } from "../../support/cli-process.ts";

const root = resolve(import.meta.dirname, "../../..");
const { version, engines, scripts, dependencies } = JSON.parse(
  readFileSync(resolve(root, "package.json"), "utf8"),
);

/** Makes a Node believe that it is another version, before the program is loaded. */
const pretending = (node: string) =>
  `--import data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'${node}'}})`;

/** Writes the name of each module that is looked for to stderr. */
const TELLING = `--import data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  registerHooks({ resolve(name, context, next) { process.stderr.write(name + "\\n"); return next(name, context); } });
`)}`;

/** Those of the package's dependencies that a command loads. */
async function loadedBy(word: string): Promise<string[]> {
  const { stderr } = await runCliProcess([word], {
    NODE_OPTIONS: TELLING,
    DATABASE_URL: "postgres://127.0.0.1:1/nowhere",
  });
  const names = stderr.split("\n").map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? "");
  return Object.keys(dependencies).filter((name) => names.includes(name));
}

describe("a command", () => {
  it("loads what it needs, so that it is there at once", async () => {
    // The SDK of AWS takes as long as all the rest.
    expect(await loadedBy("status")).not.toContain("@aws-sdk/client-sns");
  });
});

describe("invoice-relay --version", () => {
  it("is the package's", async () => {
    expect(await runCliProcess(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  });
});

describe("output that cannot be written", () => {
  it("is said in a sentence, as for a full disk", async () => {
    const main = resolve(root, "src/interfaces/cli/main.ts");
    const { code, stderr } = await promisify(execFile)("sh", [
      "-c",
      `"${process.execPath}" "${main}" --help > /dev/full`,
    ]).catch((error) => error);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("(ENOSPC)") });
  });
});

describe("an old Node", () => {
  it("is told so before anything else is loaded", async () => {
    const { code, stdout, stderr } = await runCliProcess(["--version"], {
      NODE_OPTIONS: pretending("20.20.2"),
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("(20.20.2)");
  });

  it("that cannot load the program at all is told so by what npm's scripts run", async () => {
    const main = resolve(root, "src/interfaces/cli/checkout.mjs");
    const { code, stderr } = await promisify(execFile)(process.execPath, [
      "--no-experimental-strip-types",
      main,
      "status",
    ]).catch((error) => error);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining("npm ci --include=dev") });
    expect(JSON.stringify(scripts)).not.toContain("cli/main.ts");
  });

  it("could load the entry, which imports the rest after its check", () => {
    expect(readFileSync(resolve(root, "src/interfaces/cli/main.ts"), "utf8")).not.toMatch(/^import /m);
    expect(engines.node).toBe(">=24");
  });
});
