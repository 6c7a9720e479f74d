import type { Form } from "../../forms.ts";
import { type Progress, post, postLines } from "../api/client.ts";
import { timeGiven } from "../kit/time.ts";
import type { FormField, Values } from "./form.tsx";

/** Made of the operations' list when the pages are built. */
declare const OPERATIONS: Readonly<Record<string, Form>>;

/** An operation's summary, as a sentence. */
export const summaryOf = (operation: string): string => `${OPERATIONS[operation]?.summary}.`;

/** Runs any operation. @param onProgress for long ones. @throws ApiProblem */
export async function perform<Result>(
  operation: string,
  { id, ...given }: Readonly<Record<string, unknown>>,
  onProgress?: (progress: Progress) => void,
): Promise<Result> {
  const path = OPERATIONS[operation]?.path as never;
  const input = { path: { id }, body: given } as never;
  return (await (onProgress === undefined
    ? post(path, input)
    : postLines(path, input, onProgress))) as Result;
}

/** Fields of what an operation takes, in this order. */
export const fieldsOf = (operation: string, names: readonly string[]): FormField[] =>
  names.flatMap((name) => {
    const field = OPERATIONS[operation]?.fields[name];
    return field === undefined ? [] : [{ name, ...field }];
  });

/** The values filled in, as an operation takes them; empty fields are left out. */
export const readForm = (fields: readonly FormField[], values: Values): Record<string, unknown> =>
  Object.fromEntries(
    fields.flatMap(({ name, kind }) => {
      const value = values[name]?.trim() ?? "";
      return value === "" ? [] : [[name, READ[kind]?.(value) ?? value]];
    }),
  );

const READ: Partial<Record<FormField["kind"], (value: string) => unknown>> = {
  time: (value) => timeGiven(value)?.toISOString(),
  number: Number,
  ids: (value) => value.split(/[\s,;]+/),
  check: () => true,
};
