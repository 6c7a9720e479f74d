import type { Request } from "express";

/**
 * Whether a person is looking at the answer: a GET that navigates, or that asks for HTML by name. Senders
 * that accept anything do not (interface, part C, 6).
 */
export function comesFromBrowser({ method, headers }: Pick<Request, "method" | "headers">): boolean {
  if (method !== "GET") return false;
  if (headers["sec-fetch-mode"] === "navigate") return true;
  return (headers.accept ?? "").split(",").some((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    return type === "text/html" && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter));
  });
}
