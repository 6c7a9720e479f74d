import { z } from "zod";
import { openApiParameters } from "../kit/open-api-parameters.ts";
import { type Operation, roleFor } from "./operation.ts";
import { operations } from "./operations.ts";
import { progressLine } from "./proof-schemas.ts";
import { problem } from "./schemas.ts";
import { specialOperations } from "./special-operations.ts";

type Json = { [key: string]: unknown };

const ERRORS: Record<string, string> = {
  400: "The request is not valid; the error names each field.",
  401: "Not signed in: no session, and no bearer token from ADMIN_TOKENS.",
  403: "The role does not allow it, or a session request lacks its CSRF token.",
  404: "There is nothing with this id.",
  409: "It cannot be done in the current state; the error says why and what to do.",
  415: "The body is not JSON, or not sent as application/json.",
  429: "Too many requests of this caller are under way, or too many wrong tokens came from this address.",
  503: "The database does not answer, or there are too many listeners.",
};

let text: string | undefined;

/** The document as JSON. Generated once: it takes tens of milliseconds of the event loop. */
export function openApiText(): string {
  text ??= JSON.stringify(openApiDocument());
  return text;
}

/** The OpenAPI 3.1 document, generated from the operations. */
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
      description: "What the command line does, over HTTP. Every change is audited under the token's name.",
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
          description:
            "Set by signIn; over https its name begins with __Host-. All but GET also need X-CSRF-Token.",
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

type Described = Operation | (typeof specialOperations)[number];

function describe(operation: Described): Json {
  const { id, tag, summary, pathParameters, query, body, result, mediaType = "application/json" } = operation;
  const streams = "tellsProgress" in operation && operation.tellsProgress === true;
  const isOpen = "open" in operation && operation.open === true;
  const parameters = [...parametersOf("path", pathParameters), ...parametersOf("query", query)];
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(isOpen ? { security: [] } : "run" in operation && { "x-role": roleFor(operation) }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { content: { "application/json": { schema: schemaOf(body, "input") } } } }),
    responses: {
      200: {
        description: "Done",
        content: {
          [mediaType]: { schema: schemaOf(result, "output") },
          ...(streams && { "application/x-ndjson": { schema: schemaOf(progressLine, "output") } }),
        },
      },
      ...Object.fromEntries(
        Object.keys(ERRORS).map((status) => [status, { $ref: `#/components/responses/Error${status}` }]),
      ),
    },
  };
}

const parametersOf = (place: "path" | "query", schema: z.ZodObject | undefined): Json[] =>
  schema === undefined ? [] : openApiParameters(place, schemaOf(schema, "input"));

/** Schemas are inlined, so that each can be read where it is used. */
function schemaOf(schema: z.ZodType, io: "input" | "output"): Json {
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    target: "draft-2020-12",
    unrepresentable: "any",
    reused: "inline",
  }) as Json;
  return json;
}
