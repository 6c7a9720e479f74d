import { open } from "node:fs/promises";
import { Command } from "commander";
import { messageOf, RelayError, usageError } from "../../kit/errors.ts";
import { bookDayOf, lastBookDay } from "../../kit/time.ts";
import { readDocuments } from "../../signing/read-documents.ts";
import { readKeyFile, type Verdict, verifySigned } from "../../signing/verify-signed.ts";
import type { CommandContext } from "../command-context.ts";

/** Any certificate of ours is smaller, in bytes. */
const LARGEST = 64 * 1024 ** 2;

/** Checks certificates with nothing but their file: no settings, no database, no network. */
export const verifyCommand = (context: CommandContext): Command =>
  new Command("verify")
    .description("check a signed certificate offline; exit code 1 unless a key of --keys signed it as it is")
    .argument("<file>", "what `certificate show ID --json`, `certify --json` or the console gave")
    .option(
      "--keys <file>",
      "the keys to believe: /.well-known/invoice-relay-keys.json, or a public key in PEM",
    )
    .action(async (file: string, { keys: keyFile }: { keys?: string }) => {
      const keys = keyFile === undefined ? null : readKeyFile((await readBytes(keyFile)).toString("utf8"));
      const verdicts = (await readSigned(file)).map((one) => verifySigned(one, keys));
      if (verdicts.some(({ state, keyIsKnown }) => state !== "signed" || keyIsKnown !== true))
        context.fault();
      context.show(
        verdicts.map(({ document, ...verdict }) => ({ ...verdict, ...namesIn(document) })),
        () => verdicts.map(wordsOf).join("\n\n"),
      );
    });

/** The certificates in a file. @throws RelayError that says what is wrong where it holds none. */
async function readSigned(path: string) {
  const bytes = await readBytes(path);
  try {
    return readDocuments(bytes);
  } catch (error) {
    throw new RelayError(`${path}: ${messageOf(error)}`);
  }
}

/** @throws RelayError when there is no such file, or it is none of ours by its size. */
async function readBytes(path: string): Promise<Buffer> {
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      if (size > LARGEST) throw new RelayError("it is larger than any signed document of invoice-relay");
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (cause) {
    throw usageError(`${path} cannot be read: ${messageOf(cause)}`, cause);
  }
}

const namesIn = ({ id, source, result, from, to, madeAt }: Record<string, unknown>) => ({
  ...{ id, source, result, from, to, madeAt },
});

function wordsOf({ state, says, keyIsKnown, document }: Verdict): string {
  const seal = state !== "signed" ? state.toUpperCase() : keyIsKnown ? "SIGNED" : "UNCHANGED, BY SOMEBODY";
  return [`${seal}: ${says}`, ...(state === "signed" ? [contentsOf(document)] : [])].join("\n");
}

/** What a certificate says, and what no signature shows: whether a newer one says otherwise. */
function contentsOf(document: Record<string, unknown>): string {
  const { id, source, result, from, to, madeAt, basis } = document;
  const zone = typeof basis === "object" && basis !== null && "zone" in basis ? String(basis.zone) : "UTC";
  const days = `${bookDayOf(Date.parse(String(from)), zone)} to ${lastBookDay({ to: new Date(String(to)) }, zone)} (${zone}), made ${madeAt}: ${String(result).toUpperCase()}`;
  return `It says, of source ${source}, certificate ${id}: ${days}. A newer one may say otherwise: ask the relay for its list.`;
}
