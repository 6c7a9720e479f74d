import type { Response } from "express";

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; " +
  "form-action 'none'; frame-ancestors 'none'";

/**
 * What every answer to a payer's browser carries: it is kept nowhere, and no address of ours leaves with a
 * click.
 */
export function protectPage(response: Response): void {
  response.setHeader("content-security-policy", POLICY);
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("cross-origin-resource-policy", "same-origin");
  response.setHeader("cache-control", "no-store");
}

/** Sends a page with the response's status. */
export function sendPage(response: Response, page: string): void {
  protectPage(response);
  response.type("html").send(page);
}
