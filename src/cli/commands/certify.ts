import type { Command } from "commander";
import { readOf } from "../../reconcile/on-request.ts";
import type { CommandContext } from "../command-context.ts";
import { operationCommand } from "../operation-command.ts";
import { oneFormOnly, showCertificates } from "../show-certificates.ts";
import { tellUnread } from "../tell-unread.ts";

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
