import express from "express";
import pg from "pg";
import { v7 as uuidv7 } from "uuid";
import { listen } from "../../src/kit/http-server.ts";
import { readBody } from "../../src/receive/read-body.ts";
import { answerParent } from "../harness/answer-parent.ts";

// What an engineer would write first: one prepared statement for each request, over a pool, writing the same rows
// to the same tables as the relay does.
const STATEMENT = `
  with logged as (
    insert into callback (id, received_at, source, method, path, query, reference, remote_address, found_by, invoice_ids, headers, body)
    values ($1, $2, 'default', $3, $4, '', $5, $6, 'data.id', array[$7::uuid], $8, $9))
  insert into confirmation as known (invoice_id, source, lane, opened_by, opened_at, requested_at, due_at)
  values ($7, 'default', 'unknown', 'callback', clock_timestamp(), clock_timestamp(), clock_timestamp())
  on conflict (invoice_id, source) do update set
    requests = known.requests + 1, attempt = 0, requested_at = clock_timestamp(), due_at = clock_timestamp(), state = 'due'`;

const calls = {
  start: async ({ databaseUrl, connections }: { databaseUrl: string; connections: number }) => {
    const pool = new pg.Pool({ connectionString: databaseUrl, max: connections, options: "-c timezone=UTC" });
    pool.on("error", () => undefined);
    const app = express();
    app.disable("x-powered-by");
    app.disable("etag");
    app.post("/callbacks/:token{/*reference}", async (request, response) => {
      const outcome = await readBody(request, 262_144);
      const body = outcome.kind === "whole" ? outcome.body : Buffer.alloc(0);
      const values = [
        uuidv7(),
        new Date(),
        request.method,
        "/callbacks/***/order-10023",
        request.params.reference?.[0],
        request.ip,
        JSON.parse(body.toString("utf8")).data.id,
        JSON.stringify(request.rawHeaders),
        body,
      ];
      await pool.query({ name: "append", text: STATEMENT, values });
      response.writeHead(200, { "content-type": "text/plain; charset=utf-8", "content-length": 0 });
      response.end();
    });
    const { port } = await listen(app, { name: "per-request insert", port: 0, host: "127.0.0.1" });
    return { port };
  },
};

export type PerRequestInsertCalls = typeof calls;
answerParent(calls);
