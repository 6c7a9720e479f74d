import express from "express";
import { listen } from "../../../src/kit/http-server.ts";
import { readBody } from "../../../src/receive/read-body.ts";
import { answerParent } from "../harness/answer-parent.ts";

// The reference that intake cannot beat: Express reads the same bodies to their end and answers.
const calls = {
  start: async () => {
    const app = express();
    app.disable("x-powered-by");
    app.disable("etag");
    app.post("/callbacks/:token{/*reference}", async (request, response) => {
      await readBody(request, 262_144);
      response.writeHead(200, { "content-type": "text/plain; charset=utf-8", "content-length": 0 });
      response.end();
    });
    const { port } = await listen(app, { name: "bare Express", port: 0, host: "127.0.0.1" });
    return { port };
  },
};

export type BareExpressCalls = typeof calls;
answerParent(calls);
