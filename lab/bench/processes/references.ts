import express from "express";
import pg from "pg";
import { readBody } from "../../../src/pipeline/receive/read-request.ts";
import { listen } from "../../../src/platform/http/http-server.ts";
import { answerParent } from "../harness/child.ts";
import { appendCallback } from "../harness/payment.ts";
import { rawResponse, startRawServer } from "../harness/raw-http-server.ts";

/** pg's own default. */
const POOL = 10;

/** Express with the callback's route: reads the body to its end, does this with it, and answers. */
async function startExpress(record: (body: Buffer, headers: string[]) => Promise<unknown> | undefined) {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.post("/callbacks/:token{/*reference}", async (request, response) => {
    const body = await readBody(request, 262_144);
    if (typeof body !== "string") await record(body, request.rawHeaders);
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8", "content-length": 0 });
    response.end();
  });
  const { port } = await listen(app, { name: "reference", port: 0, host: "127.0.0.1" });
  return { port };
}

const calls = {
  /** Answers anything at once: what the load generator reaches here is its ceiling. */
  generatorCeiling: () => {
    const response = rawResponse("text/plain", "");
    return startRawServer((_head, _body, answer) => answer(response));
  },
  /** The reference that intake cannot beat. */
  bare: () => startExpress(() => undefined),
  /** The first idea of an engineer: one prepared statement for each request, over a pool, the relay's rows. */
  perRequestInsert: (databaseUrl: string) => {
    const pool = new pg.Pool({ connectionString: databaseUrl, max: POOL, options: "-c timezone=UTC" });
    pool.on("error", () => undefined);
    return startExpress((body, headers) =>
      pool.query(appendCallback(JSON.parse(body.toString("utf8")).data.id, headers, body)),
    );
  },
};

export type ReferenceCalls = typeof calls;
answerParent(calls);
