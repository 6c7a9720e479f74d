import type { Certificate, Difference, Tally } from "../reconcile/certificate.ts";
import { table } from "./table.ts";
import { plainText } from "./terminal-text.ts";

/** A certificate as finance reads it: the days, the total, then every difference. */
export function certificateText(certificate: Certificate): string {
  const { source, collections, from, to, madeAt, days, total, differences, gaps } = certificate;
  const lastDay = new Date(Date.parse(to) - 1).toISOString().slice(0, 10);
  const scope = collections.map(({ id, name }) => `${plainText(name ?? "(no name)")} (${id})`).join(", ");
  const rows = [...days.map((totals) => ({ ...totals })), { day: "total", ...total }].map(
    ({ day, paid, stored, published }) => [day, ...cells(paid), ...cells(stored), ...cells(published)],
  );
  const header = ["day (UTC)", "paid", "amount", "stored", "amount", "published", "amount"];
  const lines = [
    `Certificate ${certificate.id} of source ${source}`,
    `Payments of ${from.slice(0, 10)} to ${lastDay} (UTC), Live invoices; made ${madeAt}`,
    `Collections (COLLECTION_IDS): ${scope}`,
    "",
    table(header, rows),
    "",
    verdict(total.paid.count, differences, gaps),
  ];
  const section = (title: string, named: readonly Difference[]) => {
    if (named.length > 0) lines.push("", `${title} (${named.length}):`, differenceTable(named));
  };
  section(
    "Gaps",
    differences.filter((difference) => difference.gap),
  );
  section(
    "Other differences",
    differences.filter((difference) => !difference.gap),
  );
  return lines.join("\n");
}

const cells = ({ count, amount }: Tally): string[] => [count.toLocaleString("en-US"), grouped(amount)];

/** `1234567.50` as `1,234,567.50`, digit by digit. */
const grouped = (amount: string): string => amount.replace(/\B(?=(\d{3})+(?!\d)(?=\.))/g, ",");

function verdict(paid: number, differences: readonly Difference[], gaps: number): string {
  if (gaps > 0)
    return `${gaps} ${gaps === 1 ? "GAP: a payment" : "GAPS: payments"} at the provider without a publication that SNS accepted.`;
  if (paid === 0) return "No gap: no Live invoice was paid in this period.";
  if (differences.length === 0) return "No gap: paid at the provider = stored = published.";
  return `No gap. ${differences.length} ${differences.length === 1 ? "difference is" : "differences are"} named below.`;
}

const differenceTable = (named: readonly Difference[]): string =>
  table(
    ["day (UTC)", "invoice", "amount", "reason", "detail"],
    named.map(({ day, invoiceId, amount, reason, detail }) => [day, invoiceId, amount, reason, detail]),
  );
