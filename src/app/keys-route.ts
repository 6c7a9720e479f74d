import type { RequestHandler } from "express";
import type { Database } from "../database/tables.ts";
import { OneForAll } from "../kit/waiting.ts";
import { readKeys } from "../signing/signing-keys.ts";

/** How long an answer is kept here, and in caches on the way, in seconds. */
const KEPT_SECONDS = 60;

/** The public keys, for anybody. Strangers cost one read a minute; while Postgres is away the last answer stands. */
export function keysRoute(db: Database): RequestHandler {
  let kept: { text: string; at: number } | null = null;
  const reading = new OneForAll<string>();
  const read = async () => {
    const text = `${JSON.stringify(await readKeys(db), null, 2)}\n`;
    kept = { text, at: performance.now() };
    return text;
  };
  const isFresh = () => kept !== null && performance.now() - kept.at < KEPT_SECONDS * 1_000;
  return async (request, response, next) => {
    if (request.path !== "/.well-known/invoice-relay-keys.json" || !["GET", "HEAD"].includes(request.method))
      return next();
    const text = isFresh() ? kept?.text : await reading.run(read).catch(() => kept?.text);
    if (text === undefined)
      return void response
        .status(503)
        .setHeader("retry-after", 5)
        .type("text/plain")
        .send("The keys cannot be read now. Ask again.\n");
    response.setHeader("cache-control", `public, max-age=${KEPT_SECONDS}`);
    response.type("application/json").send(text);
  };
}
