import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { relayMigrations } from "../../../migrations/relay.ts";
import { createEmptyTestDatabase, ownDatabaseUrl } from "../../support/database.ts";
import { useBundles } from "./bundles.ts";
import { startContainer } from "./container.ts";
import { FUNCTIONS, scheduleEvent } from "./payloads.ts";

const bundles = useBundles();

it.concurrent.each([...FUNCTIONS, "migrate"])(
  "%s runs where nothing but its bundle is, and asks SSM for its secrets",
  async (name) => {
    const container = startContainer(bundles.of(name), {
      SETTINGS_PATH: "/invoice-relay/test",
      SECRET_SETTINGS: "DATABASE_URL",
      AWS_REGION: "us-east-1",
      // Nobody listens there.
      AWS_ENDPOINT_URL_SSM: "http://127.0.0.1:1",
    });
    await expect(container.invoke(scheduleEvent)).rejects.toThrow("ECONNREFUSED 127.0.0.1:1");
    if (name !== "migrate") expect(container.lines).toMatchObject([{ level: "error", requestId: "request" }]);
  },
);

const names = readdirSync(join(import.meta.dirname, "../../../migrations/relay"))
  .map((file) => file.replace(/\.ts$/, ""))
  .sort();

describe("the function migrate", () => {
  it("brings every migration of the folder", () => {
    expect(Object.keys(relayMigrations)).toEqual(names);
  });

  it("makes the schema in an empty database, and does nothing the second time", async () => {
    const DATABASE_URL = await ownDatabaseUrl(createEmptyTestDatabase);
    const migrate = startContainer(bundles.of("migrate"), { DATABASE_URL });

    expect(await migrate.invoke({})).toMatchObject({ migrations: names, schema: "current" });
    expect(await migrate.invoke({})).toEqual({
      migrations: [],
      partitions: [],
      schema: "current",
    });
  });
});
