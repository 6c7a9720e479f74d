import express, { type Router } from "express";
import type { FaultBox } from "./faults/fault-box.ts";
import { openApiDocument } from "./open-api-document.ts";

/** The API's own description at `/openapi.json`, with the paths that are in force. */
export function openApiRouter(publicUrl: string, faults: FaultBox): Router {
  const router = express.Router();
  router.get("/openapi.json", (_request, response) => {
    response.json(openApiDocument({ serverUrl: publicUrl, paths: faults.current.http.paths }));
  });
  return router;
}
