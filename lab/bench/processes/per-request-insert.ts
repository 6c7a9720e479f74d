import express from "express";
import pg from "pg";
import { listen } from "../../../src/kit/http-server.ts";
import { readBody } from "../../../src/receive/read-body.ts";
import { answerParent } from "../harness/answer-parent.ts";
import { appendCallback } from "../harness/append-callback.ts";

// What an engineer would write first: one prepared statement for each request, over a pool, writing the same
// rows to the same tables as the relay does.
const calls = {
  start: async ({ databaseUrl, connections }: { databaseUrl: string; connections: number }) => {
    const pool = new pg.Pool({ connectionString: databaseUrl, max: connections, options: "-c timezone=UTC" });
    pool.on("error", () => undefined);
    const app = express();
    app.disable("x-powered-by");
    app.disable("etag");
    app.post("/callbacks/:token{/*reference}", async (request, response) => {
      const read = await readBody(request, 262_144);
      const body = typeof read === "string" ? Buffer.alloc(0) : read;
      await pool.query(
        appendCallback({
          invoiceId: JSON.parse(body.toString("utf8")).data.id,
          method: request.method,
          reference: request.params.reference?.[0] ?? null,
          remoteAddress: request.ip ?? null,
          headers: request.rawHeaders,
          body,
        }),
      );
      response.writeHead(200, { "content-type": "text/plain; charset=utf-8", "content-length": 0 });
      response.end();
    });
    const { port } = await listen(app, { name: "per-request insert", port: 0, host: "127.0.0.1" });
    return { port };
  },
};

export type PerRequestInsertCalls = typeof calls;
answerParent(calls);
