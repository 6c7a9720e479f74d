import express, { type Router } from "express";

/** `/`, for whoever opens the service's address in a browser: where everything is. */
export function frontPageRouter(publicUrl: string): Router {
  const router = express.Router();
  const text = `A local Invoice Collection API, for trying things out: no money moves.

API          ${publicUrl}/api/v1/…  with a key of the seed file in the header x-api-key
Its document ${publicUrl}/openapi.json
Payers       ${publicUrl}/pay/{invoice id}
Control side ${publicUrl}/_control/…  faults, payments, deliveries; on this machine only
`;
  router.get("/", (_request, response) => void response.type("text/plain").send(text));
  return router;
}
