import { z } from "zod";
import {
  type Operation,
  type OperationShape,
  operations,
  roleFor,
  specialOperations,
  type Wire,
} from "../../operations/index.ts";
import { openApiParameters } from "../../platform/validation/index.ts";

type Json = { [key: string]: unknown };

const ERRORS: Record<string, string> = {
  400: "The request is not valid; the error names each field.",
  401: "Not signed in: no session, and no bearer token from ADMIN_TOKENS.",
  403: "The role does not allow it, or another site sent the request.",
  404: "There is nothing with this id.",
  405: "This address does not take that method; `Allow` names those it takes.",
  409: "It cannot be done in the current state; the error says why and what to do.",
  413: "The body is too long.",
  415: "The body is not JSON, or not sent as application/json.",
  503: "The database cannot do it just now; the error says why.",
};

/** The body of every refusal. */
const problem = z.object({
  error: z.string(),
  code: z.string().optional().describe("As the command line calls it in its JSON: usage, not_found, …"),
});

let text: string | undefined;

/** The document as JSON. Generated once: it takes tens of milliseconds of the event loop. */
export function openApiText(): string {
  text ??= JSON.stringify(openApiDocument());
  return text;
}

export function openApiDocument(): Json {
  const paths: Record<string, Json> = {};
  for (const operation of [...specialOperations, ...operations])
    paths[`/admin/v1${operation.path}`] = {
      ...paths[`/admin/v1${operation.path}`],
      [operation.method]: describe(operation),
    };
  return {
    openapi: "3.1.0",
    info: {
      title: "invoice-relay admin API",
      version: "1",
      description:
        "The commands of the command line, over HTTP. Every change is audited under the token's name.",
    },
    security: [{ bearer: [] }, { session: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        session: {
          type: "apiKey",
          in: "cookie",
          name: "relay-session",
          description: "Set by signIn; over https its name begins with __Host-.",
        },
      },
      schemas: { Problem: schemaOf(problem, "output") },
      responses: Object.fromEntries(
        Object.entries(ERRORS).map(([status, description]) => [
          `Error${status}`,
          {
            description,
            content: { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } },
          },
        ]),
      ),
    },
  };
}

type Described = OperationShape & Partial<Pick<Operation, "run" | "mediaTypes">> & { open?: true };

function describe(operation: Described): Json {
  const { id, tag, summary, pathParameters, query, body } = operation;
  const { example = {}, mediaTypes = ["application/json"] } = operation;
  const parameters = [
    ...parametersOf("path", pathParameters, example.path),
    ...parametersOf("query", query, example.query),
  ];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(operation.open === true ? { security: [] } : operation.run && { "x-role": roleFor(operation) }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: !body.safeParse({}).success,
        content: {
          "application/json": {
            schema: schemaOf(body, "input"),
            ...(example.body !== undefined && { example: example.body }),
          },
        },
      },
    }),
    responses: {
      200: {
        description: "Done",
        content: Object.fromEntries(
          mediaTypes.map((mediaType) => [mediaType, { schema: schemaIn(mediaType, operation) }]),
        ),
      },
      ...Object.fromEntries(
        Object.keys(ERRORS).map((status) => [status, { $ref: `#/components/responses/Error${status}` }]),
      ),
    },
  };
}

/** A download is text; a JSON download has the schema of its contents. */
const schemaIn = (mediaType: string, { mediaTypes, result }: Described): Json =>
  mediaTypes !== undefined && mediaType === "application/json" ? {} : schemaOf(result, "output");

function parametersOf(place: "path" | "query", schema: z.ZodObject | undefined, example: unknown): Json[] {
  if (schema === undefined) return [];
  const examples = new Map(Object.entries(example ?? {}));
  return openApiParameters(place, schemaOf(schema, "input")).map((parameter) => ({
    ...parameter,
    ...(examples.has(String(parameter.name)) && { example: examples.get(String(parameter.name)) }),
  }));
}

/** Schemas are inlined, so that each can be read where it is used. */
export function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    target: "draft-2020-12",
    unrepresentable: "any",
    reused: "inline",
    override({ zodSchema, jsonSchema }) {
      if (zodSchema._zod.def.type === "date")
        Object.assign(jsonSchema, { type: "string", format: "date-time" });
    },
  }) as Json;
  return json;
}

type AnyOperation = (typeof operations)[number] | (typeof specialOperations)[number];

/** Below `/admin/v1`, as the list of operations has it. */
export type PathOf<Method extends string> = Extract<AnyOperation, { method: Method }>["path"];

export type OperationAt<Method extends string, Path extends string> = Extract<
  AnyOperation,
  { method: Method; path: Path }
>;

type Part<Name extends string, Schema> = [Schema] extends [never]
  ? { [Key in Name]?: never }
  : Schema extends z.ZodType
    ? object extends z.input<Schema>
      ? { [Key in Name]?: z.input<Schema> }
      : { [Key in Name]: z.input<Schema> }
    : never;

type SchemaIn<Operation, Name extends string> = Operation extends { [Key in Name]?: infer Schema }
  ? Exclude<Schema, undefined>
  : never;

/** The input of a call; a field that the operation does not take fails `tsc`. */
export type CallInput<Operation extends AnyOperation> = Part<"path", SchemaIn<Operation, "pathParameters">> &
  Part<"query", SchemaIn<Operation, "query">> &
  Part<"body", SchemaIn<Operation, "body">>;

export type AnswerOf<Operation extends AnyOperation> = Wire<z.output<Operation["result"]>>;
