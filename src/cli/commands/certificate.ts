import { Command } from "commander";
import { notFoundError, usageError } from "../../kit/errors.ts";
import { money, moneyIn, plainText } from "../../kit/text.ts";
import { bookDayOf, lastBookDay } from "../../kit/time.ts";
import {
  type Basis,
  type Certificate,
  type Difference,
  PROVISIONAL,
  type Tally,
} from "../../reconcile/certificate/certificate.ts";
import { readOf } from "../../reconcile/on-request.ts";
import { certificateCsvParts, readCertificate } from "../../reconcile/read-certificates.ts";
import { signatureText } from "../../signing/signature-text.ts";
import type { CommandContext } from "../command-context.ts";
import { operationCommand, type ResultOf } from "../operation-command.ts";
import { idValue, noneText } from "../option-values.ts";
import { table } from "../table.ts";
import { verifyCommand } from "./certificate-verify.ts";
import { tellUnread } from "./reconcile.ts";

export function certificateCommand(context: CommandContext): Command {
  const list = operationCommand(context, "listCertificates", {
    name: "list",
    options: { collection: "collection <id>", from: "from <day>", to: "to <day>" },
    text: ({ certificates }, given) =>
      certificates.length > 0
        ? renderList(certificates)
        : noneText(given, NONE, "No certificate matches these filters."),
  });
  const show = new Command("show")
    .description("show one: the days, the total, every difference; exit code 1 unless equal")
    .argument("<id>", "the certificate's id", idValue)
    .option("--csv", "a table for finance instead of text: days, total, differences")
    .action(async (id: string, { csv }: { csv?: true }) => {
      oneFormOnly(context, csv === true);
      const certificate = await context.withDatabase((db) => readCertificate(db, id));
      if (certificate === null)
        throw notFoundError(
          `There is no finished certificate ${id}. List them with: invoice-relay certificate list`,
        );
      await showCertificates(context, certificate, { certificates: [certificate], csv: csv === true });
    });
  return new Command("certificate")
    .description("certificates made daily or with certify: list, show, verify")
    .addCommand(list)
    .addCommand(show)
    .addCommand(verifyCommand(context));
}

const NONE = "There are no certificates yet: serve makes one each day; invoice-relay certify makes one now.";

function renderList(certificates: ResultOf<"listCertificates">["certificates"]): string {
  return table(certificates, {
    id: "id",
    source: "source",
    // That of the whole source, and those of its collections, are of the same days.
    collections: ({ collections }) =>
      collections.length === 1 ? collections[0] : `all ${collections.length}`,
    from: ({ from, timeZone }) => bookDayOf(from, timeZone),
    to: ({ to, timeZone }) => lastBookDay({ to }, timeZone),
    made: ({ madeAt, daily }) => (madeAt === null ? null : `${madeAt.toISOString()}${daily ? " daily" : ""}`),
    result: ({ result, lastError }) =>
      result ?? (lastError === null ? "being made" : `not made: ${lastError}`),
    gaps: "gaps",
    paid: "paid",
    amount: ({ currency, paidAmount }) => moneyIn(currency, paidAmount),
  });
}

/** Is every paid invoice accounted for? Exit code 1 unless it is equal. */
export const certifyCommand = (context: CommandContext): Command =>
  operationCommand(context, "certify", {
    name: "certify",
    options: { from: "from <day>", to: "to <day>", collection: "collection <id>" },
    extend: (command) =>
      command.option("--csv", "a table for finance instead of text: days, total, differences"),
    input({ csv, ...given }) {
      oneFormOnly(context, csv === true);
      return given;
    },
    async show(certificates, { csv }) {
      await showCertificates(context, certificates, {
        certificates: readOf(certificates),
        csv: csv === true,
      });
      tellUnread(context, certificates);
    },
  });

function oneFormOnly(context: CommandContext, csv: boolean): void {
  if (csv && context.json) throw usageError("Choose one of --csv and --json.");
}

const apart = (what: string, { count, amount }: Tally, currency: string): string[] =>
  count > 0
    ? [`${what}, not included above: ${count.toLocaleString("en-US")}, ${moneyIn(currency, amount)}`]
    : [];

/** Prints certificates as CSV for finance, or as `show` prints; exit code 1 unless all are equal. */
async function showCertificates<Value>(
  context: CommandContext,
  value: Value,
  { certificates, csv }: { certificates: readonly Certificate[]; csv: boolean },
): Promise<void> {
  if (certificates.some(({ result }) => result !== "equal")) context.fault();
  if (!csv)
    return context.show(value, () =>
      certificates.map((one, index) => certificateText(one, certificates[index - 1])).join("\n\n"),
    );
  await context.withDatabase(async (db) => {
    for await (const part of certificateCsvParts(db, certificates)) context.stdout.write(part);
  });
}

/**
 * A certificate as finance reads it: the result, what it is based on, the days, the total, then every
 * difference.
 * @param previous what was printed above it: what both are based on is not said again
 */
export function certificateText(certificate: Certificate, previous?: Certificate): string {
  const { source, collections, currency, from, to, madeAt, days, total, differences, basis } = certificate;
  const { zone } = basis;
  const period = `${bookDayOf(Date.parse(from), zone)} to ${lastBookDay({ to: new Date(to) }, zone)}`;
  const scope = collections.map(({ id, name }) => `${plainText(name ?? "(no name)")} (${id})`).join(", ");
  const above = previous?.source === source ? proofLines(previous) : [];
  const lines = [
    `Certificate ${certificate.id} of source ${source}`,
    `Payments of ${period} (${zone}), Live invoices, in ${currency}; made ${madeAt}`,
    `Collections (COLLECTION_IDS): ${scope}`,
    ...proofLines(certificate).filter((line) => !above.includes(line)),
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
  const { pages, listed, asked, deep } = basis;
  const how = deep === false ? "" : deep === true ? ", every invoice asked about" : `, all ${deep.read} read`;
  return (
    `Based on: lists of ${listFirst} to ${listLast}, read from ${begunAt} ` +
    `(RECONCILE_LOOKBACK ${lookbackDays} days, PROVIDER_TIME_ZONE ${providerTimeZone}), ` +
    `statuses ${paidStatuses.join(", ")}, ${pages} pages, ${listed} paid invoices listed, ${asked} asked ` +
    `about${how}`
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
    return `NOT EQUAL: ${total.differences.toLocaleString("en-US")} differences could hide money.`;
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
