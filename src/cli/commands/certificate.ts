import { Command, Option } from "commander";
import { RelayError } from "../../kit/errors.ts";
import { dayOf, lastDayBefore } from "../../kit/time.ts";
import type { Result } from "../../reconcile/certificate/certificate.ts";
import type { ListedCertificate } from "../../reconcile/read-certificates.ts";
import type { CommandContext } from "../command-context.ts";
import { countValue, idValue } from "../option-values.ts";
import { oneFormOnly, showCertificates } from "../show-certificates.ts";
import { table } from "../table.ts";

interface ListOptions {
  source?: string;
  result?: Result;
  limit: number;
}

export function certificateCommand(context: CommandContext): Command {
  const list = new Command("list")
    .description("list certificates, the newest first")
    .option("--source <name>", "only this source")
    .addOption(new Option("--result <result>", "only this result").choices(["equal", "not_equal", "refused"]))
    .option("--limit <number>", "the most to list", countValue, 20)
    .action(async ({ limit, ...filters }: ListOptions) => {
      const { listCertificates } = await import("../../reconcile/read-certificates.ts");
      const certificates = await context.withDatabase((db) => listCertificates(db, filters, limit));
      context.show({ certificates }, () => renderList(certificates));
    });
  const show = new Command("show")
    .description("show one: the days, the total, every difference; exit code 1 unless equal")
    .argument("<id>", "the certificate's id", idValue)
    .option("--csv", "a table for finance instead of text: days, total, differences")
    .action(async (id: string, { csv }: { csv?: true }) => {
      oneFormOnly(context, csv);
      const { readCertificate } = await import("../../reconcile/read-certificates.ts");
      const certificate = await context.withDatabase((db) => readCertificate(db, id));
      if (certificate === null)
        throw new RelayError(
          `There is no finished certificate ${id}. List them with: invoice-relay certificate list`,
          { code: "not_found" },
        );
      await showCertificates(context, certificate, { certificates: [certificate], csv });
    });
  return new Command("certificate")
    .description("certificates made daily or with certify: list, show")
    .addCommand(list)
    .addCommand(show);
}

function renderList(certificates: readonly ListedCertificate[]): string {
  if (certificates.length === 0)
    return "There are no certificates yet: serve makes one each day; invoice-relay certify makes one now.";
  return table(
    ["id", "source", "from", "to", "made", "result", "gaps", "paid", "amount"],
    certificates.map(({ id, source, from, to, daily, madeAt, result, lastError, ...numbers }) => [
      id,
      source,
      dayOf(from),
      lastDayBefore(to),
      madeAt === null ? null : `${madeAt.toISOString()}${daily ? " daily" : ""}`,
      result ?? (lastError === null ? "being made" : `not made: ${lastError}`),
      numbers.gaps,
      numbers.paid,
      numbers.paidAmount,
    ]),
  );
}
