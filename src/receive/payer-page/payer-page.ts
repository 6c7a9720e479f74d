import type { Request, Response } from "express";

/** What a payer may be told. Nothing of it is personal, and nothing is what the callback claimed. */
export type PageContent =
  /** Followed by its callback's id, sealed; `isLong` once that has taken a minute. */
  | { state: "confirming"; sealedId: string; isLong?: boolean }
  | { state: "confirmed" }
  /** Recorded, but there is no single payment to follow. */
  | { state: "received" }
  | { state: "unrecorded" }
  /** Too old to be followed any longer, or never there. */
  | { state: "gone" }
  | { state: "nowhere" };

/** The path under which a page that follows a payment can be opened again. */
export const PAGES_PATH = "/payment-pages";

const SPINNER = '<div class="mark busy" aria-hidden="true"></div>';
const icon = (look: string, path: string) =>
  `<svg class="${look}" viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="22"/>` +
  `<path d="${path}"/></svg>`;
const TICK = icon("mark good", "m15 25 6.5 6.5L34 18");
const CLOCK = icon("mark wait", "M24 12v12l7 5");
const NOTE = icon("mark", "M24 13v15M24 34v.5");

/** What each page says: its mark, its heading, the text, and the window's title where that is another. */
const SAYS: Readonly<
  Record<
    PageContent["state"] | "unsettled",
    readonly [mark: string, heading: string, text: string, title?: string]
  >
> = {
  confirmed: [TICK, "Payment confirmed", "Thank you. You can close this page."],
  confirming: [
    SPINNER,
    "Confirming your payment",
    "This usually takes a few seconds. If you have paid, you do not need to pay again.",
  ],
  // For someone who cancelled, and for a while for someone whose bank is slow: nobody here can tell them apart.
  unsettled: [
    CLOCK,
    "No payment has been confirmed yet",
    "If you did not finish paying, you can go back and try again, or simply close this page. If you have " +
      "paid, there is nothing to do and no need to pay again: whoever you paid is told as soon as it is " +
      "confirmed.",
  ],
  received: [
    CLOCK,
    "Your payment is being confirmed",
    "If you have paid, there is nothing more to do: whoever you paid is told once it is confirmed. You can " +
      "close this page.",
  ],
  unrecorded: [
    NOTE,
    "One moment, please",
    "We could not look after your payment just now. It is not lost: reload this page in a few seconds.",
    "Please reload this page",
  ],
  gone: [
    NOTE,
    "This page has ended",
    "It follows a payment for one hour. Whoever you paid can tell you how it stands.",
  ],
  nowhere: [
    NOTE,
    "This page does not exist",
    "The address may be incomplete. If you came here to pay or have just paid, whoever you pay can tell you " +
      "how your payment stands.",
  ],
};

const SLOW = `<p id="slow" class="quiet" hidden>This is taking longer than usual. You can close this page:
the payment goes on being confirmed without it, and whoever you paid is told.</p>`;

/** The page for a payer's browser: small, without inline script or style, and of use without JavaScript. */
export function payerPage(content: PageContent): string {
  const { state } = content;
  if (state === "confirming") return following(content.sealedId, content.isLong === true);
  const [, heading, , title = heading] = SAYS[state];
  return page(title, panel(state));
}

function following(sealedId: string, isLong: boolean): string {
  const address = `${PAGES_PATH}/${sealedId}`;
  const [shown, later] = isLong
    ? (["unsettled", "confirming"] as const)
    : (["confirming", "unsettled"] as const);
  const panels = panel(shown) + hidden(panel(later)) + hidden(panel("confirmed"));
  return page(
    SAYS[shown][1],
    `<div role="status" data-follow="${address}">${panels}${SLOW}</div>
<noscript><p class="quiet"><a href="${address}">Look again</a></p></noscript>`,
    `<noscript><meta http-equiv="refresh" content="${isLong ? 30 : 5}; url=${address}"></noscript>
<script src="${PAGES_PATH}/page.js" defer></script>`,
  );
}

const hidden = (section: string): string => section.replace("<section", "<section hidden");

function panel(state: keyof typeof SAYS): string {
  const [mark, heading, text] = SAYS[state];
  return `<section id="${state}">${mark}<h1>${heading}</h1><p>${text}</p></section>`;
}

function page(title: string, content: string, head = ""): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="${PAGES_PATH}/page.css">
${head}
</head>
<body>
<main>${content}</main>
</body>
</html>
`;
}

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";

/** What every answer to a payer's browser carries: it is kept nowhere, and no address of ours leaves with a click. */
export function protectPage(response: Response): void {
  response.setHeader("content-security-policy", POLICY);
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("cross-origin-resource-policy", "same-origin");
  response.setHeader("cache-control", "no-store");
}

export function sendPage(response: Response, page: string): void {
  protectPage(response);
  response.type("html").send(page);
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
