import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "../support/own-test.ts";

export interface CallLog {
  /** Stands in front of the provider: what arrives here is what the provider sees. */
  url: string;
  /** Get Invoice calls in order: which id, and when, in ms of performance.now(). */
  calls: { invoiceId: string; at: number }[];
}

/** A pass-through in front of a provider that notes each Get Invoice as it arrives; gone with the test. */
export async function startCallLog(providerUrl: string): Promise<CallLog> {
  const log: CallLog = { url: "", calls: [] };
  const server = createServer((incoming, outgoing) => {
    const [, invoiceId] = /^\/api\/v1\/invoices\/([0-9a-f-]{36})$/.exec(incoming.url ?? "") ?? [];
    if (invoiceId !== undefined) log.calls.push({ invoiceId, at: performance.now() });
    const { host: _host, ...headers } = incoming.headers;
    const onward = request(
      `${providerUrl}${incoming.url}`,
      { method: incoming.method, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  log.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return log;
}
