import type { z } from "zod";
import type { OperationName, operations } from "../../../collection-api/contract/index.ts";
import type { ServiceContext } from "../service-context.ts";
import type { ApiKey } from "./api-keys.ts";
import type { ExtraQuery } from "./query.ts";
import type { Refusal } from "./refusals.ts";

type Operations = typeof operations;
type Part<Name extends OperationName, Key extends string> =
  Operations[Name]["request"] extends Record<Key, infer Schema extends z.ZodType> ? z.output<Schema> : null;

/** A request that was held against the contract, and who asks. */
export interface ApiRequest<Name extends OperationName> {
  readonly path: Part<Name, "path">;
  readonly query: Part<Name, "query">;
  readonly body: Part<Name, "body">;
  readonly key: ApiKey;
  readonly extra: ExtraQuery;
  /** The request's own word for itself, where the service looks at one. */
  readonly idempotencyKey: string | undefined;
}

type Data<Name extends OperationName> = Operations[Name] extends {
  data: { written: infer Schema extends z.ZodType };
}
  ? { data: z.input<Schema> }
  : { data?: never };

export type Answer<Name extends OperationName> =
  | ({ readonly refusal?: never; readonly message: string } & Data<Name>)
  | { readonly refusal: Refusal };

export type OperationHandler<Name extends OperationName> = (
  context: ServiceContext,
  request: ApiRequest<Name>,
) => Promise<Answer<Name>>;

/** What the service does for each operation of the contract. */
export type OperationHandlers = { readonly [Name in OperationName]: OperationHandler<Name> };
