import { z } from "zod";
import type { Operation } from "./operation.ts";
import { operations } from "./operations.ts";
import { problem } from "./schemas.ts";

type Json = { [key: string]: unknown };

const ERRORS: Record<string, string> = {
  400: "The request is not valid; the error names each field.",
  401: "The bearer token is missing, or none of ADMIN_TOKENS.",
  404: "There is nothing with this id.",
  409: "It cannot be done as things stand; the error says why and what to do.",
  429: "Too many wrong tokens were sent from this address.",
  501: "This process does not bring that part.",
};

/** The OpenAPI 3.1 document, made from the operations: it says nothing that is not there. */
export function openApiDocument(): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations)
    paths[`/admin/v1${operation.path}`] = {
      ...paths[`/admin/v1${operation.path}`],
      [operation.method]: describe(operation),
    };
  return {
    openapi: "3.1.0",
    info: {
      title: "invoice-relay admin API",
      version: "1",
      description: "What the command line does, over HTTP. Every change is audited under the token's name.",
    },
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
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

function describe(operation: Operation): Json {
  const { id, tag, summary, pathParameters, query, body, result } = operation;
  const parameters = [...parametersOf("path", pathParameters), ...parametersOf("query", query)];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { content: { "application/json": { schema: schemaOf(body, "input") } } } }),
    responses: {
      200: {
        description: "Done",
        content: { "application/json": { schema: schemaOf(result, "output") } },
      },
      ...Object.fromEntries(
        Object.keys(ERRORS).map((status) => [status, { $ref: `#/components/responses/Error${status}` }]),
      ),
    },
  };
}

function parametersOf(place: "path" | "query", schema: z.ZodObject | undefined): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schemaOf(schema, "input") as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...field }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    ...(description !== undefined && { description }),
    schema: field,
  }));
}

/** Written out whole at each place, so that every schema can be read where it is used. */
function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    target: "draft-2020-12",
    unrepresentable: "any",
    reused: "inline",
  }) as Json;
  return json;
}
