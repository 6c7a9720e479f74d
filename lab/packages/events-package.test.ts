import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkTypes, type InstalledPackage, installEvents, KINDS_OF_PROJECT } from "./install-package.ts";

const name = `node-linux-${process.arch}`;

/** The oldest Node that consumers may have: its package on npm, and the program in there. */
const NODE_20 = { package: `${name}@20.20.2`, binary: `node_modules/${name}/bin/node` };

const root = resolve(import.meta.dirname, "../..");
const payload = join(root, "test/events/published/v1/payloads/full.json");

describe("invoice-relay-events, installed into an empty project", () => {
  let folder = "";
  let run: InstalledPackage["run"];
  beforeAll(async () => {
    ({ folder, run } = await installEvents([NODE_20.package]));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("brings zod and nothing else", async () => {
    const installed = await readdir(join(folder, "node_modules"));
    const node = NODE_20.package.split("@")[0];

    expect(installed.filter((name) => !name.startsWith(".") && name !== node).sort()).toEqual([
      "invoice-relay-events",
      "zod",
    ]);
  });

  it("parses an event and handles it once, on Node 20", async () => {
    await writeFile(
      join(folder, "script.mjs"),
      `import { readFileSync } from "node:fs";
       import { memoryOnceOnly, onceOnly } from "invoice-relay-events";
       import { parseInvoicePaid, parseUnsignedInvoicePaid } from "invoice-relay-events";
       const store = memoryOnceOnly();
       const body = readFileSync(${JSON.stringify(payload)}, "utf8");
       const [event] = parseUnsignedInvoicePaid({ body });
       const deliver = () => onceOnly(store, event, async () => {});
       const topicArns = ["arn:aws:sns:eu-west-1:123456789012:invoices"];
       const refused = await parseInvoicePaid(body, { topicArns }).catch((error) => error.kind);
       const outcomes = [await deliver(), await deliver()];
       console.log(JSON.stringify({ node: process.version, amount: event.data.amount, outcomes, refused }));`,
    );
    const { stdout } = await run(join(folder, NODE_20.binary), ["script.mjs"]);

    expect(JSON.parse(stdout)).toEqual({
      node: expect.stringMatching(/^v20\./),
      amount: "1500.50",
      outcomes: ["handled", "duplicate"],
      refused: "unreadable",
    });
  });

  it("is loaded by require too", async () => {
    await writeFile(
      join(folder, "script.cjs"),
      `console.log(typeof require("invoice-relay-events").parseInvoicePaid);`,
    );
    expect((await run(join(folder, NODE_20.binary), ["script.cjs"])).stdout).toBe("function\n");
  });

  it.each(KINDS_OF_PROJECT)("has types that a strict project takes in %s under %s", async (file, module) => {
    await writeFile(
      join(folder, file),
      `import { type InvoicePaid, parseInvoicePaid } from "invoice-relay-events";
       const events: Promise<InvoicePaid[]> = parseInvoicePaid({}, { topicArns: [] });
       export const amounts: Promise<string[]> = events.then((all) => all.map((event) => event.data.amount));
       // @ts-expect-error an amount is text
       export const wrong: Promise<number[]> = events.then((all) => all.map((event) => event.data.amount));
       // @ts-expect-error whose topics?
       parseInvoicePaid({});`,
    );
    await checkTypes(run, file, module);
  });

  it("brings the JSON Schema", async () => {
    const file = join(folder, "node_modules/invoice-relay-events/invoice.paid.v1.schema.json");

    expect(JSON.parse(await readFile(file, "utf8")).$id).toBe("urn:invoice-relay:schema:invoice.paid:v1");
  });
});
