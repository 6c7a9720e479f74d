import { readFile } from "node:fs/promises";
import {
  type CreateInvoiceRequest,
  createInvoiceRequest,
  parseExactJson,
  problemsOf,
} from "../collection-api/contract/index.ts";
import { messageOf, RelayError } from "../kit/errors.ts";

/** The fields of Create Invoice as options give them: not yet validated against the contract. */
export type GivenFields = Readonly<Record<string, unknown>>;

/**
 * The fields of a JSON file; numbers keep every digit.
 * @throws RelayError when it cannot be read, is not a JSON object, or has unknown fields.
 */
export async function readRequestFile(file: string): Promise<GivenFields> {
  const json = parsed(file, await contents(file));
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw wrong(`${file} should contain one JSON object with the fields of Create Invoice.`);
  const fields: Record<string, unknown> = { ...json };
  const known = Object.keys(createInvoiceRequest.shape);
  const unknown = Object.keys(fields).filter((name) => !known.includes(name));
  if (unknown.length === 0) return fields;
  throw wrong(`${file} has fields that Create Invoice does not take: ${unknown.join(", ")}.`);
}

/** @throws RelayError that names every missing or wrong field; nothing was sent. */
export function createInvoiceRequestOf(given: GivenFields): CreateInvoiceRequest {
  const result = createInvoiceRequest.safeParse(given);
  if (result.success) return result.data;
  const problems = problemsOf(result.error).map((problem) => `  ${problem}`);
  throw wrong(`The invoice was not created; nothing was sent:\n${problems.join("\n")}`);
}

async function contents(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw wrong(`${file} cannot be read: ${messageOf(cause)}`);
  }
}

function parsed(file: string, text: string): unknown {
  try {
    return parseExactJson(text.replace(/^\uFEFF/, ""));
  } catch {
    // The parser's message quotes the text, which contains personal data.
    throw wrong(`${file} is not JSON.`);
  }
}

const wrong = (problem: string) => new RelayError(problem, { code: "usage" });
