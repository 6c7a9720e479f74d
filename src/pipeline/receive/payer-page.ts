import { hash } from "node:crypto";
import type { Request, Response } from "express";

/** Nothing of it is personal, and nothing is what the callback claimed. */
const PAGES = {
  received: [
    "Thank you",
    "Your payment is being checked. There is nothing more to do: whoever you paid hears of it once it is " +
      "confirmed. You can close this page.",
  ],
  unrecorded: [
    "Please reload this page",
    "We could not look after your payment just now. It is not lost: reload this page in a few seconds.",
  ],
  nowhere: [
    "This page does not exist",
    "The address may be incomplete. If you came here to pay or have just paid, whoever you pay can say how " +
      "your payment stands.",
  ],
} as const;

const STYLE =
  ":root{color-scheme:light dark}body{margin:0;min-height:100svh;display:grid;place-items:center;" +
  "text-align:center;font:1rem/1.5 system-ui,sans-serif}main{max-width:26rem;padding:1.5rem}" +
  "h1{font-size:1.375rem}";

const POLICY =
  `default-src 'none'; style-src 'sha256-${hash("sha256", STYLE, "base64")}'; base-uri 'none'; ` +
  "form-action 'none'; frame-ancestors 'none'";

/** Answers a payer's browser with a static page. It is kept nowhere, and no address of ours leaves with a click. */
export function sendPage(response: Response, page: keyof typeof PAGES): void {
  const [heading, text] = PAGES[page];
  response.setHeader("content-security-policy", POLICY);
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("cache-control", "no-store");
  response.type("html").send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${heading}</title>
<style>${STYLE}</style>
</head>
<body>
<main><h1>${heading}</h1><p>${text}</p></main>
</body>
</html>
`);
}

/** A GET that navigates, or asks for HTML by name; other senders accept anything (interface, part C, 6). */
export function comesFromBrowser({ method, headers }: Pick<Request, "method" | "headers">): boolean {
  if (method !== "GET") return false;
  if (headers["sec-fetch-mode"] === "navigate") return true;
  return (headers.accept ?? "").split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return type === "text/html" && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
