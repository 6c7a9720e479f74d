import { Command } from "commander";
import type { Door } from "../door.ts";

/** `invoice-relay callback-url`: what to create invoices with. It prints the tokens: that is its purpose. */
export function callbackUrlCommand(door: Door): Command {
  return new Command("callback-url")
    .description("print the callBackUrl to create invoices with; it holds the secret token")
    .option("--reference <reference>", "your own reference of the invoice, which its event carries")
    .action(async ({ reference }: { reference?: string }) => {
      const { callbackUrl, callbackUrlWarnings } = await import("../../app/callback-url.ts");
      const { PUBLIC_URL, CALLBACK_TOKENS } = door.settings(["PUBLIC_URL", "CALLBACK_TOKENS"]);
      const urls = CALLBACK_TOKENS.map((token) => callbackUrl(PUBLIC_URL, token.reveal(), reference));
      const warnings = [...new Set(urls.flatMap(callbackUrlWarnings))];
      door.show({ urls, warnings }, (shown) => shown.urls.join("\n"));
      if (!door.json) for (const warning of warnings) door.remark(`Look: ${warning}`);
    });
}
