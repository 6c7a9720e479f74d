import { open } from "node:fs/promises";
import { extname } from "node:path";
import { Command } from "commander";
import {
  bookOperations,
  day,
  type Parts,
  proofOperations,
  writeWholeFile,
} from "../../../operations/index.ts";
import {
  type Basis,
  type Certificate,
  type Difference,
  PROVISIONAL,
  readCertificate,
  type Tally,
} from "../../../pipeline/reconcile/index.ts";
import { messageOf, notFoundError, RelayError, usageError } from "../../../platform/errors/index.ts";
import {
  readDocuments,
  readKeyFile,
  signatureText,
  type Verdict,
  verifySigned,
} from "../../../platform/signing/index.ts";
import {
  addDays,
  bookDayOf,
  dayOf,
  lastBookDay,
  money,
  moneyIn,
  numberOf,
  plainText,
} from "../../../platform/values/index.ts";
import type { CommandContext } from "../command-context.ts";
import { type CommandInput, operationCommand } from "../operation-command.ts";
import { idValue } from "../option-values.ts";
import { table } from "../table.ts";

export function certificateCommand(context: CommandContext): Command {
  const list = operationCommand(context, proofOperations, "listCertificates", {
    name: "list",
  });
  const show = new Command("show")
    .description("show one: the days, the total, every difference; exit code 1 unless equal")
    .argument("<id>", "the certificate's id", idValue)
    .action(async (id: string) => {
      const certificate = await context.withDatabase((db) => readCertificate(db, id));
      if (certificate === null)
        throw notFoundError(`There is no finished certificate ${id}.`, {
          operation: "listCertificates",
          args: {},
        });
      showCertificates(context, certificate, [certificate]);
    });
  return new Command("certificate")
    .description("certificates made daily or with certify: list, show, verify")
    .addCommand(list)
    .addCommand(show)
    .addCommand(verifyCommand(context));
}

/** Is every paid invoice accounted for? Exit code 1 unless it is equal. */
export const certifyCommand = (context: CommandContext): Command =>
  operationCommand(context, proofOperations, "certify", {
    name: "certify",
    async show(certificates) {
      showCertificates(context, certificates, certificates);
    },
  });

const apart = (what: string, { count, amount }: Tally, currency: string): string[] =>
  count > 0
    ? [`${what}, not included above: ${count.toLocaleString("en-US")}, ${moneyIn(currency, amount)}`]
    : [];

/** Exit code 1 unless all are equal. */
function showCertificates<Value>(
  context: CommandContext,
  value: Value,
  certificates: readonly Certificate[],
): void {
  if (certificates.some(({ result }) => result !== "equal")) context.fault();
  context.show(value, () => certificates.map(certificateText).join("\n\n"));
}

/**
 * A certificate as finance reads it: the result, what it is based on, the days, the total, then every
 * difference.
 */
export function certificateText(certificate: Certificate): string {
  const { source, collections, currency, from, to, madeAt, days, total, differences, basis } = certificate;
  const { zone } = basis;
  const period = `${bookDayOf(Date.parse(from), zone)} to ${lastBookDay({ to: new Date(to) }, zone)}`;
  const scope = collections.map(({ id, name }) => `${plainText(name ?? "(no name)")} (${id})`).join(", ");
  const lines = [
    `Certificate ${certificate.id} of source ${source}`,
    `Payments of ${period} (${zone}), Live invoices, in ${currency}; made ${madeAt}`,
    `Collections (COLLECTION_IDS): ${scope}`,
    ...proofLines(certificate),
    "",
    daysTable([...days, { day: "total", ...total }], zone),
    ...apart("Test invoices", certificate.test, currency),
    ...apart("Payments of collections that are not ours", certificate.foreign, currency),
    "",
    verdict(certificate),
  ];
  const section = (title: string, weight: Difference["weight"]) => {
    const named = differences.filter((difference) => difference.weight === weight);
    if (named.length > 0)
      lines.push("", `${title} (${named.length}):`, differenceTable(named, { zone, currency }));
  };
  section("Gaps", "gap");
  section("Differences", "difference");
  section("Notes", "note");
  const more = certificate.differencesInAll - differences.length;
  if (more > 0) lines.push("", `and ${more} more that are not named here`);
  return lines.join("\n");
}

const proofLines = ({ basis, signature }: Certificate): string[] => [
  basisText(basis),
  ...(basis.provisional ? [`PROVISIONAL: ${PROVISIONAL}`] : []),
  signatureText(signature),
];

function basisText(basis: Basis): string {
  const { listFirst, listLast, begunAt, lookbackDays, providerTimeZone, paidStatuses } = basis;
  const { pages, listed, asked } = basis;
  return (
    `Based on: lists of ${listFirst} to ${listLast}, read from ${begunAt} ` +
    `(RECONCILE_LOOKBACK ${lookbackDays} days, PROVIDER_TIME_ZONE ${providerTimeZone}), ` +
    `statuses ${paidStatuses.join(", ")}, ${pages} pages, ${listed} paid invoices listed, ${asked} asked ` +
    "about"
  );
}

function daysTable(rows: readonly Certificate["days"][number][], zone: string): string {
  const tallies = (["paid", "stored", "published", "missing"] as const).flatMap((place) => [
    [place, (row: (typeof rows)[number]) => row[place].count.toLocaleString("en-US")] as const,
    ["amount", (row: (typeof rows)[number]) => money(row[place].amount)] as const,
  ]);
  const last = [
    "differences",
    (row: (typeof rows)[number]) => row.differences.toLocaleString("en-US"),
  ] as const;
  return table(rows, [[`day (${zone})`, "day"], ...tallies, last]);
}

function verdict({ result, refusals, gaps, total }: Certificate): string {
  if (result === "refused") return ["REFUSED: this proves nothing.", ...refusals].join("\n");
  if (gaps > 0)
    return (
      `NOT EQUAL: ${gaps} ${gaps === 1 ? "GAP: a payment" : "GAPS: payments"} at the provider without an ` +
      "event that SNS accepted on its topic."
    );
  if (result === "not_equal")
    return `NOT EQUAL: ${numberOf(total.differences, "difference")} could hide money.`;
  if (total.paid.count === 0) return "EQUAL: no Live invoice was paid in this period.";
  return "EQUAL: paid at the provider = stored = published, in number and in amount.";
}

const differenceTable = (
  named: readonly Difference[],
  { zone, currency }: { zone: string; currency: string },
): string =>
  table(named, {
    [`day (${zone})`]: "day",
    invoice: ({ invoiceId, eventId }) => invoiceId ?? eventId,
    amount: ({ amount }) => moneyIn(currency, amount),
    reason: "reason",
    detail: "detail",
  });

/** Limit of a certificate's size, in bytes; ours are smaller. */
const LARGEST = 64 * 1024 ** 2;

/** Checks certificates with nothing but their file: no settings, no database, no network. */
const verifyCommand = (context: CommandContext): Command =>
  new Command("verify")
    .description(
      "check a signed certificate offline; exit code 1 unless a key of --keys signed exactly this content",
    )
    .argument("<file>", "a certificate from `certificate show ID --json`, `certify --json` or the console")
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

/** @throws RelayError when there is no such file, or it is larger than ours are. */
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
  const seal = state !== "signed" ? state.toUpperCase() : keyIsKnown ? "SIGNED" : "UNCHANGED, SIGNER UNKNOWN";
  return [`${seal}: ${says}`, ...(state === "signed" ? [contentsOf(document)] : [])].join("\n");
}

/** The statement of a certificate, with a warning that no signature gives: a newer one may differ. */
function contentsOf(document: Record<string, unknown>): string {
  const { id, source, result, from, to, madeAt, basis } = document;
  const zone = typeof basis === "object" && basis !== null && "zone" in basis ? String(basis.zone) : "UTC";
  const days = `${bookDayOf(Date.parse(String(from)), zone)} to ${lastBookDay({ to: new Date(String(to)) }, zone)} (${zone}), made ${madeAt}: ${String(result).toUpperCase()}`;
  return `It says, of source ${source}, certificate ${id}: ${days}. A newer one may say otherwise: ask the relay for its list.`;
}

const LAST_DAYS = 7;

export const reconcileCommand = (context: CommandContext): Command =>
  operationCommand(context, proofOperations, "reconcile", {
    name: "reconcile",
    input: lastDays,
    check(done) {
      if (done.some(({ unproven }) => unproven.length > 0)) context.fault();
    },
  });

function lastDays({ from, to = dayOf(new Date()), ...given }: CommandInput): CommandInput {
  const isDay = day.safeParse(to).success;
  return { ...given, from: from ?? (isDay ? addDays(String(to), -LAST_DAYS) : undefined), to };
}

export const reportCommand = (context: CommandContext): Command =>
  operationCommand(context, bookOperations, "exportReport", {
    name: "report",
    extend: (command) =>
      command.option("--out <file>", "the file to write, whole or not at all; its name gives the format"),
    input: (given) => ({ ...given, format: formatOf(given) }),
    async show({ fileName, mediaType, parts, written }, options) {
      const out = options.out === undefined ? null : String(options.out);
      if (out === null && !context.json && mediaType !== "text/csv")
        throw usageError(`XLSX is not text. Name a file: --out ${fileName}`);
      if (out !== null) await writeFileUnlessStopped(context, out, parts);
      else for await (const part of parts) if (!context.json) context.stdout.write(String(part));
      const { rows } = written;
      if (context.json) context.show({ file: out, rows }, () => "");
      else if (out !== null) context.remark(`Wrote ${out}: ${numberOf(rows, "row")}.`);
      else if (rows === 0) context.remark("The report has no rows for this period.");
    },
  });

/** Reads the format from the option or the file's name. @throws RelayError when they disagree. */
function formatOf({ format, out }: CommandInput): unknown {
  const ending = extname(String(out ?? "")).toLowerCase();
  const named = /^\.(csv|xlsx)$/.exec(ending)?.[1];
  if (format === undefined && named === undefined && ending !== "")
    throw usageError(`--out ${out} should end in .csv or .xlsx, or say --format.`);
  if (format !== undefined && named !== undefined && format !== named)
    throw usageError(`--format ${format} does not go with a file named ${out}.`);
  return format ?? named;
}

/**
 * Writes a file whole; a person who stops the command meanwhile leaves nothing behind.
 * @returns how many bytes were written. @throws RelayError when it was stopped, or cannot be written.
 */
export async function writeFileUnlessStopped(
  context: CommandContext,
  file: string,
  parts: Parts,
): Promise<number> {
  const stop = context.listenForStop();
  const untilStopped = async function* () {
    for await (const part of parts) {
      if (stop.signal.aborted) throw new RelayError(`Stopped before the end: ${file} was not written.`);
      yield part;
    }
  };
  try {
    return await writeWholeFile(file, untilStopped());
  } finally {
    stop.release();
  }
}
