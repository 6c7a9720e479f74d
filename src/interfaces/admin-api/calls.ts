import type { z } from "zod";
import type { operations, specialOperations, Wire } from "../../operations/index.ts";

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

/** What a call gives; a field that the operation does not take fails `tsc`. */
export type CallInput<Operation extends AnyOperation> = Part<"path", SchemaIn<Operation, "pathParameters">> &
  Part<"query", SchemaIn<Operation, "query">> &
  Part<"body", SchemaIn<Operation, "body">>;

export type AnswerOf<Operation extends AnyOperation> = Wire<z.output<Operation["result"]>>;
