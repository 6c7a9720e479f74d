import { existsSync } from "node:fs";
import { join } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The test files that last longest and mostly wait: what one of them leaves of a core, others use. */
const LONG = [
  "test/faults/hung-connection",
  "test/journeys/drill-database",
  "test/lambda/passes",
  "test/journeys/drill",
  "test/cli/serve",
  "test/sandbox/postgres/embedded-postgres",
  "test/faults/torture/torture",
  "test/receive/payer-page-in-chromium",
  "test/journeys/reconcile",
  "test/journeys/drill-proof",
  "test/publish/handoff",
  "test/journeys/rotation",
  "test/app/database-watch",
  "test/replay/interrupted-replay",
  "test/publish/publishing",
  "test/app/start-without-database",
  "test/lambda/awaken",
  "test/journeys/several-sources",
  "test/app/keep-partitions",
  "test/receive/reading-thread",
  "test/kit/hang-up-on-stalled",
].map((name) => `${name}.test.ts`);

/** They begin within this share of the others, which outlast them. */
const EARLY = 0.6;

/**
 * vitest's order, which is by size where nothing has run yet, but for the long files: these are dealt out
 * among the first of their project's others, so that none begins last and is waited for alone.
 */
export class LongFilesEarly extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return [...Map.groupBy(sorted, ({ project }) => project).values()].flatMap(dealt);
  }
}

function dealt(files: TestSpecification[]): TestSpecification[] {
  const long = LONG.flatMap(
    (name) => files.find(({ moduleId, project }) => moduleId === join(project.config.root, name)) ?? [],
  );
  const others = files.filter((file) => !long.includes(file));
  const apart = (others.length * EARLY) / (long.length || 1);
  const places = [...long.map((_, index) => index * apart - 0.5), ...others.keys()];
  return [...long, ...others]
    .map((file, index) => ({ file, place: places[index] ?? 0 }))
    .sort((one, other) => one.place - other.place)
    .map(({ file }) => file);
}

for (const name of LONG)
  if (!existsSync(join(import.meta.dirname, "../..", name))) throw new Error(`There is no ${name}.`);
