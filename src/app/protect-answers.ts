import type { RequestHandler } from "express";

const A_YEAR = "max-age=31536000";

/**
 * Sets the headers that every answer carries, and refuses a request with two Host headers: each proxy on the
 * way may have believed another one.
 * @param options.behindTls whether browsers reach this listener by https only.
 */
export function protectAnswers({ behindTls }: { behindTls: boolean }): RequestHandler {
  return (request, response, next) => {
    response.setHeader("x-content-type-options", "nosniff");
    if (behindTls) response.setHeader("strict-transport-security", A_YEAR);
    if (hostsIn(request.rawHeaders) <= 1) return next();
    response.status(400).setHeader("connection", "close");
    response.type("text/plain").send("A request names one Host.\n");
  };
}

/**
 * @param rawHeaders as Node lists them: names and values in turn. `headers` would keep only the first Host.
 */
function hostsIn(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts;
}

/** For every route after the callbacks': whoever shows no callback token must not hold a connection. */
export const closeAfterAnswer: RequestHandler = (_request, response, next) => {
  response.setHeader("connection", "close");
  next();
};
