import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { relayMigrations } from "../../../migrations/relay.ts";
import { createEmptyTestDatabase } from "../../support/database.ts";
import { useBundles } from "./bundles.ts";
import { startContainer } from "./container.ts";

const bundles = useBundles();

const names = readdirSync(join(import.meta.dirname, "../../../migrations/relay"))
  .map((file) => file.replace(/\.ts$/, ""))
  .sort();

describe("the function migrate", () => {
  it("brings every migration of the folder", () => {
    expect(Object.keys(relayMigrations)).toEqual(names);
  });

  it("makes the schema in an empty database, and does nothing the second time", async () => {
    const database = await createEmptyTestDatabase();
    onTestFinished(() => database.drop());
    const migrate = startContainer(bundles.of("migrate"), { DATABASE_URL: database.url });

    expect(await migrate.invoke({})).toMatchObject({ migrations: names, schema: "current" });
    expect(await migrate.invoke({})).toEqual({
      migrations: [],
      partitions: [],
      roles: "granted",
      schema: "current",
    });
  });
});
