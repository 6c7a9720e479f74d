import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const root = resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const workflow = read(".github/workflows/ci.yml");

describe("GitHub Actions", () => {
  it("run the commands of .ci/run, each in one job, in its order", () => {
    const jobs: { steps: { run?: string }[]; "timeout-minutes": number }[] = Object.values(
      parse(workflow).jobs,
    );
    const commands = (texts: (string | undefined)[]) =>
      texts
        .flatMap((text = "") => text.split(/\n| && /))
        .filter((command) => /^npm |^git diff/.test(command));
    const theirs = commands(jobs.flatMap(({ steps }) => steps.map(({ run }) => run)));

    expect([...new Set(theirs)]).toEqual(commands([read(".ci/run")]));
    expect(jobs.map((job) => job["timeout-minutes"])).toEqual(jobs.map(() => 10));
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
