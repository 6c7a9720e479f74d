import { Command } from "commander";
import { paymentDays } from "../../reconcile/list/list-period.ts";
import type { CommandContext } from "../command-context.ts";
import { ListProgress } from "../list-progress.ts";
import { oneFormOnly, showCertificates } from "../show-certificates.ts";
import { tellUnread } from "../tell-unread.ts";
import { withLists } from "../with-lists.ts";

interface Options {
  from: string;
  to: string;
  collection?: string;
  deep?: true;
  csv?: true;
}

/** `invoice-relay certify`: is every paid invoice accounted for? Exit code 1 unless it is equal. */
export function certifyCommand(context: CommandContext): Command {
  return new Command("certify")
    .description("prove a period: paid at the provider = stored = published, or each difference by name")
    .requiredOption("--from <day>", "the first day of payment, YYYY-MM-DD, UTC")
    .requiredOption("--to <day>", "the last day of payment, YYYY-MM-DD, UTC, included")
    .option("--collection <id>", "one of COLLECTION_IDS; all of them by default")
    .option("--deep", "ask the provider about every invoice of the period again; can be resumed after a stop")
    .option("--csv", "a table for finance instead of text: days, total, differences")
    .action(async ({ from, to, collection, deep, csv }: Options) => {
      oneFormOnly(context, csv);
      const { certifyPeriod, readOf } = await import("../../reconcile/on-request.ts");
      const window = paymentDays(from, to);
      const bar = new ListProgress(context.stderr);
      const certificates = await withLists(context, (given) =>
        certifyPeriod(
          given,
          { ...given, collection, window, deep: deep === true },
          ({ name }, { step, done, total }) => bar.reached(name, step, done, total),
        ),
      );
      bar.end();
      await showCertificates(context, certificates, { certificates: readOf(certificates), csv });
      tellUnread(context, certificates);
    });
}
