import { request } from "node:http";
import { request as requestTls } from "node:https";
import { TOKEN } from "../../test/support/relay.ts";
import type { Target } from "./target.ts";

const TIMEOUT_MS = 10_000;

/** One callback over a connection of its own. @returns its status, and how long it took from the first SYN, in ms */
export function honestCallback(
  { port, tls }: Target,
  body: string,
  path = `/callbacks/${TOKEN}`,
): Promise<{ status: number; ms: number }> {
  const began = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; ms: number }>();
  const call = (tls ? requestTls : request)({
    ...{ host: "127.0.0.1", port, path, method: "POST", agent: false, rejectUnauthorized: false },
    headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  call.on("error", reject).on("response", (response) => {
    response.resume().on("error", reject);
    response.on("end", () => resolve({ status: response.statusCode ?? 0, ms: performance.now() - began }));
  });
  call.end(body);
  return promise;
}
