import { Command } from "commander";
import type { CommandContext } from "../command-context.ts";
import { nameValue } from "../option-values.ts";
import { table } from "../table.ts";

export function callbackUrlCommand(context: CommandContext): Command {
  return new Command("callback-url")
    .description("print the callBackUrl to create invoices with; it contains the secret token")
    .option("--reference <reference>", "your own reference for the invoice, included in its event", nameValue)
    .action(async ({ reference }: { reference?: string }) => {
      const { callbackUrl, callbackUrlWarnings, redirectWarning } = await import("../../app/callback-url.ts");
      const { describedSources } = await import("../../kit/sources.ts");
      const settings = context.settings(["PUBLIC_URL", "CALLBACK_TOKENS"]);
      const urls = describedSources(settings).flatMap(({ name: source, callbackTokens = [] }) =>
        callbackTokens.map((token) => ({
          source,
          url: callbackUrl(settings.PUBLIC_URL, token.reveal(), reference),
        })),
      );
      const redirect = await redirectWarning(settings.PUBLIC_URL);
      const found = [
        ...urls.flatMap(({ url }) => callbackUrlWarnings(url)),
        ...(redirect === null ? [] : [redirect]),
      ];
      const warnings = [...new Set(found)];
      const lines = () =>
        urls.every(({ source }) => source === urls[0]?.source)
          ? urls.map(({ url }) => url).join("\n")
          : table(urls, { source: "source", callBackUrl: "url" });
      // Not `show`, which masks tokens.
      context.print(context.json ? JSON.stringify({ urls, warnings }, null, 2) : lines());
      if (!context.json) for (const warning of warnings) context.remark(`Look: ${warning}`);
    });
}
