import { Command } from "commander";
import { RelayError } from "../../kit/errors.ts";
import { dayOf, lastDayBefore } from "../../kit/time.ts";
import type { CommandContext } from "../command-context.ts";
import { operationCommand, type ResultOf } from "../operation-command.ts";
import { idValue } from "../option-values.ts";
import { oneFormOnly, showCertificates } from "../show-certificates.ts";
import { table } from "../table.ts";

export function certificateCommand(context: CommandContext): Command {
  const list = operationCommand(context, "listCertificates", {
    name: "list",
    options: { collection: "collection <id>", from: "from <day>", to: "to <day>" },
    text: ({ certificates }) => renderList(certificates),
  });
  const show = new Command("show")
    .description("show one: the days, the total, every difference; exit code 1 unless equal")
    .argument("<id>", "the certificate's id", idValue)
    .option("--csv", "a table for finance instead of text: days, total, differences")
    .action(async (id: string, { csv }: { csv?: true }) => {
      oneFormOnly(context, csv === true);
      const { readCertificate } = await import("../../reconcile/read-certificates.ts");
      const certificate = await context.withDatabase((db) => readCertificate(db, id));
      if (certificate === null)
        throw new RelayError(
          `There is no finished certificate ${id}. List them with: invoice-relay certificate list`,
          { code: "not_found" },
        );
      await showCertificates(context, certificate, { certificates: [certificate], csv: csv === true });
    });
  return new Command("certificate")
    .description("certificates made daily or with certify: list, show")
    .addCommand(list)
    .addCommand(show);
}

function renderList(certificates: ResultOf<"listCertificates">["certificates"]): string {
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
