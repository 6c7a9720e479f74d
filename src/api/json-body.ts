import express, { type RequestHandler } from "express";

/**
 * Reads a JSON body of at most `limit`; that of a GET says nothing. Any other body gets 415: it would be
 * taken for an empty one, and a dry run for an order to do it.
 */
export function jsonBody(limit: string): RequestHandler {
  const read = express.json({ limit });
  return (request, response, next) => {
    if (request.method === "GET") return next();
    const isEmpty = request.headers["content-length"] === "0";
    // `is` says null where there is no body.
    if (isEmpty || request.is("json") !== false) return read(request, response, next);
    const error = "Send the body as JSON, with the header Content-Type: application/json.";
    response.status(415).json({ error });
  };
}
