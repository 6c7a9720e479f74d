import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openApiDocument } from "../../../src/interfaces/admin-api/open-api.ts";
import { type Operation, operations } from "../../../src/operations/index.ts";

const VALUES = [
  ...["", " ", "x", "x\u0000", "x\u0085", "x".repeat(2_000), "0".repeat(36), -1, 1.5, 1e9, "50", "0x10"],
  ...["0000-01-01", "2026-13-01", "2026-11-1", "2026-11-01T25:00", "2026-11-01T08:30", "999.999.1.1"],
  ...["1,5,0", "maybe", "true", "a/b+"],
];

const ajv = formats.default(new Ajv2020({ strict: false }));
const takes = (schema: object) => ajv.compile(schema);

/** Each field of an operation: what reads it, and what the document says of it. */
function fieldsOf(operation: Operation): [field: string, reads: z.ZodType, says: object][] {
  // biome-ignore lint/suspicious/noExplicitAny: the document as any reader has it
  const paths = openApiDocument().paths as any;
  const said = paths[`/admin/v1${operation.path}`][operation.method];
  const parameters = new Map<string, object>(
    (said.parameters ?? []).map(({ name, schema }: { name: string; schema: object }) => [name, schema]),
  );
  const body = said.requestBody?.content["application/json"].schema.properties ?? {};
  const shape = operation.body instanceof z.ZodObject ? operation.body.shape : {};
  return [
    ...Object.entries<z.ZodType>({ ...operation.pathParameters?.shape, ...operation.query?.shape }).map(
      ([name, reads]): [string, z.ZodType, object] => [name, reads, parameters.get(name) ?? {}],
    ),
    ...Object.entries<z.ZodType>(shape).map(([name, reads]): [string, z.ZodType, object] => [
      name,
      reads,
      body[name] ?? {},
    ]),
  ];
}

describe.each((operations as readonly Operation[]).map((one) => [one.id, one] as const))(
  "the document of %s",
  (_, operation) => {
    it("refuses what the operation refuses, field by field", () => {
      const kept = fieldsOf(operation).flatMap(([name, reads, says]) => {
        const isTaken = takes(says);
        return VALUES.filter((value) => isTaken(value) && !reads.safeParse(value).success).map((value) => [
          name,
          value,
        ]);
      });
      expect(kept).toEqual([]);
    });
  },
);
