import { lastDayBefore } from "../kit/time.ts";
import {
  type Basis,
  type Certificate,
  type Difference,
  PROVISIONAL,
  type Tally,
} from "../reconcile/certificate/certificate.ts";
import { table } from "./table.ts";
import { plainText } from "./terminal-text.ts";

/**
 * A certificate as finance reads it: the result, what it is based on, the days, the total, then every
 * difference.
 */
export function certificateText(certificate: Certificate): string {
  const { source, collections, from, to, madeAt, days, total, differences, basis, test } = certificate;
  const scope = collections.map(({ id, name }) => `${plainText(name ?? "(no name)")} (${id})`).join(", ");
  const rows = [...days, { day: "total", ...total }].map((totals) => [
    totals.day,
    ...[totals.paid, totals.stored, totals.published, totals.missing].flatMap(cells),
    totals.differences.toLocaleString("en-US"),
  ]);
  const places = ["paid", "stored", "published", "missing"].flatMap((place) => [place, "amount"]);
  const header = ["day (UTC)", ...places, "differences"];
  const lines = [
    `Certificate ${certificate.id} of source ${source}`,
    `Payments of ${from.slice(0, 10)} to ${lastDayBefore(to)} (UTC), Live invoices; made ${madeAt}`,
    `Collections (COLLECTION_IDS): ${scope}`,
    basisText(basis),
    ...(basis.provisional ? [`PROVISIONAL: ${PROVISIONAL}`] : []),
    "",
    table(header, rows),
    ...(test.count > 0 ? [`Test invoices, not included above: ${cells(test).join(", ")}`] : []),
    "",
    verdict(certificate),
  ];
  const section = (title: string, weight: Difference["weight"]) => {
    const named = differences.filter((difference) => difference.weight === weight);
    if (named.length > 0) lines.push("", `${title} (${named.length}):`, differenceTable(named));
  };
  section("Gaps", "gap");
  section("Differences", "difference");
  section("Notes", "note");
  const more = certificate.differencesInAll - differences.length;
  if (more > 0) lines.push("", `and ${more} more that are not named here`);
  return lines.join("\n");
}

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

const cells = ({ count, amount }: Tally): string[] => [count.toLocaleString("en-US"), grouped(amount)];

/** `1234567.50` as `1,234,567.50`, digit by digit. */
const grouped = (amount: string): string => amount.replace(/\B(?=(\d{3})+(?!\d)(?=\.))/g, ",");

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

const differenceTable = (named: readonly Difference[]): string =>
  table(
    ["day (UTC)", "invoice", "amount", "reason", "detail"],
    named.map(({ day, invoiceId, eventId, amount, reason, detail }) => [
      day,
      invoiceId ?? eventId ?? "-",
      amount,
      reason,
      detail,
    ]),
  );
