import express, { type Router } from "express";
import { openApiDocument } from "./open-api-document.ts";

/** The API's own description at `/openapi.json`. */
export function openApiRouter(publicUrl: string, banksPath: string): Router {
  const router = express.Router();
  const document = openApiDocument({ serverUrl: publicUrl, banksPath });
  router.get("/openapi.json", (_request, response) => void response.json(document));
  return router;
}
