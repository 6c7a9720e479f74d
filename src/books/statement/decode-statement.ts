import { type RelayError, usageError } from "../../kit/errors.ts";

/** The most bytes that a statement may have: some 400,000 lines. */
export const STATEMENT_BYTES = 32 * 1024 ** 2;

export const ENCODINGS = ["utf-8", "utf-16le", "utf-16be", "windows-1252"] as const;
export type Encoding = (typeof ENCODINGS)[number];

export const refuseSize = (): RelayError =>
  usageError(
    `The statement has more than ${STATEMENT_BYTES / 1024 ** 2} MiB, which is the most that is read. ` +
      "Export one month, and as CSV.",
  );

/**
 * The text of a statement: by its byte order mark, else UTF-8, or Windows-1252 where it is not valid UTF-8.
 * @throws RelayError for a file that is empty, too large, or no text.
 */
export function decodeStatement(bytes: Uint8Array): { text: string; encoding: Encoding } {
  if (bytes.length > STATEMENT_BYTES) throw refuseSize();
  if (bytes.length === 0) throw usageError("The statement is empty (0 bytes). Export it again.");
  const { text, encoding } = decode(bytes);
  // Spreadsheets, archives and PDFs have bytes that no text has.
  if (text.includes("\0") || text.startsWith("%PDF") || text.startsWith("PK\u0003\u0004"))
    throw usageError(
      "The statement is no text. Save it as CSV: neither XLSX nor PDF can be read here, nor UTF-16 without its byte " +
        "order mark.",
    );
  return { text, encoding };
}

/** What names its encoding is of that encoding, also where a byte of it is broken: only that character is lost. */
function decode(bytes: Uint8Array): { text: string; encoding: Encoding } {
  const encoding = markedEncoding(bytes);
  if (encoding !== null) return { text: new TextDecoder(encoding).decode(bytes), encoding };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), encoding: "utf-8" };
  } catch {
    return { text: new TextDecoder("windows-1252").decode(bytes), encoding: "windows-1252" };
  }
}

function markedEncoding([first, second, third]: Uint8Array): Encoding | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : null;
}
