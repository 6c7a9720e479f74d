import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const workflow = read(".github/workflows/ci.yml");

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

  it("look for advisories every week", () => {
    const { on, jobs } = parse(read(".github/workflows/advisories.yml"));

    // Minute, hour, any day of any month, a day of the week.
    expect(on.schedule).toEqual([{ cron: expect.stringMatching(/^\d+ \d+ \* \* [0-6]$/) }]);
    expect(jobs.audit.steps.filter(({ run }: { run?: string }) => run?.startsWith("npm audit"))).toHaveLength(
      3,
    );
  });
});
