import type { Form } from "../../forms.ts";
import { post } from "../api/client.ts";
import type { FormField } from "./form.tsx";

/** Made of the operations' list when the pages are built. */
declare const OPERATIONS: Readonly<Record<string, Form>>;

/** An operation's summary, as a sentence. */
export const summaryOf = (operation: string): string => `${OPERATIONS[operation]?.summary}.`;

/** Runs any operation that changes something. @throws ApiProblem */
export const perform = async <Result>(
  operation: string,
  { id, ...body }: Readonly<Record<string, unknown>>,
): Promise<Result> =>
  (await post(OPERATIONS[operation]?.path as never, { path: { id }, body } as never)) as Result;

/** Fields of what an operation takes, in this order. */
export const fieldsOf = (operation: string, names: readonly string[]): FormField[] =>
  names.flatMap((name) => {
    const field = OPERATIONS[operation]?.fields[name];
    return field === undefined ? [] : [{ name, ...field }];
  });
