import { z } from "zod";
import { openApiParameters } from "../../platform/validation/index.ts";
import { errorAnswer, type Operation, operations } from "../../provider/index.ts";

type Json = { [key: string]: unknown };

const ERRORS: Record<string, string> = {
  400:
    "The request is not valid; `errors` names each field. " +
    "For Add Linked Account also: it cannot be linked.",
  401: "The API key is missing or not valid.",
  403: "The key, or the collection's state, does not allow it.",
  404: "There is no such collection or invoice.",
  412: "A rule of business is against it: the invoice is not unpaid, or a beneficiary is not approved.",
  429: "Too many requests; `Retry-After` says when to come back, in seconds.",
  500: "Something went wrong on the provider's side.",
};

const json = (schema: Json) => ({ content: { "application/json": { schema } } });

/** The OpenAPI 3.1 document of the seven operations, made from the contract: it says nothing that is not there. */
export function openApiDocument(options: { serverUrl?: string; banksPath?: string } = {}): Json {
  const components: Record<string, unknown> = {};

  /** The schema as JSON Schema; those with an id of their own move to the components and are referred to. */
  function schemaOf(schema: z.ZodType, io: "input" | "output" = "input"): Json {
    const made = z.toJSONSchema(schema, { io, target: "draft-2020-12", unrepresentable: "any" });
    const { $schema: _, $defs = {}, ...plain } = made as Json & { $defs?: Record<string, unknown> };
    const moved = (value: unknown) =>
      JSON.parse(JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/'), (key, inner) =>
        key === "id" && typeof inner === "string" ? undefined : inner,
      );
    for (const [name, definition] of Object.entries($defs)) components[name] = moved(definition);
    const id = schema.meta()?.id;
    if (id === undefined) return moved(plain);
    // A schema with an id may come as a reference to its own definition, which is moved already.
    if (plain.$ref === undefined) components[id] = moved(plain);
    return { $ref: `#/components/schemas/${id}` };
  }

  const parametersOf = (place: "path" | "query", schema: z.ZodType | undefined): Json[] =>
    schema === undefined ? [] : openApiParameters(place, schemaOf(schema));

  function describe({ envelopeStatus, data, ...operation }: Operation): Json {
    const { path, query, body } = operation.request;
    const statuses = [...(path || query || body ? [400] : []), 401, ...operation.errors, 429, 500];
    const parameters = [...parametersOf("path", path), ...parametersOf("query", query)];
    const requestBody = body && { required: true, ...json(schemaOf(body)) };
    const properties = {
      status: { type: typeof envelopeStatus === "string" ? "string" : "integer", const: envelopeStatus },
      message: { type: "string" },
      ...(data && { data: schemaOf(data.written) }),
    };
    const envelope = { type: "object", required: Object.keys(properties), properties };
    return {
      operationId: operation.name,
      summary: operation.title,
      description: operation.summary,
      ...(parameters.length > 0 && { parameters }),
      ...(requestBody && { requestBody }),
      responses: {
        [operation.status]: { description: "Success", ...json(envelope) },
        ...Object.fromEntries(
          statuses.map((status) => [status, { $ref: `#/components/responses/Error${status}` }]),
        ),
      },
    };
  }

  const paths: Record<string, Json> = {};
  for (const operation of Object.values<Operation>(operations)) {
    const path = (operation.name === "getBanks" && options.banksPath) || operation.path;
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation) };
  }
  const error = schemaOf(errorAnswer, "output");
  const retryAfter = { "Retry-After": { schema: { type: "integer" }, description: "Seconds" } };
  const responses = Object.entries(ERRORS).map(([status, description]) => {
    const headers = status === "429" && { headers: retryAfter };
    return [`Error${status}`, { description, ...headers, ...json({ $ref: "#/components/schemas/Error" }) }];
  });
  return {
    openapi: "3.1.0",
    info: {
      title: "Invoice Collection",
      version: "1",
      description:
        "Invoices, their payment and settlement accounts. " +
        "Made from the contract in src/provider/collection-api/contract.",
    },
    servers: [{ url: options.serverUrl ?? "http://127.0.0.1:4001" }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: { apiKey: { type: "apiKey", in: "header", name: "x-api-key" } },
      schemas: { ...components, Error: error },
      responses: Object.fromEntries(responses),
    },
  };
}
