import { createServer } from "node:net";
import { RelayError } from "../../kit/errors.ts";

/** The wanted port if it is free on loopback, else any that is. @throws RelayError where there is no loopback. */
export async function freePort(wanted: number): Promise<number> {
  const port = (await tryPort(wanted)) ?? (await tryPort(0));
  if (port !== undefined) return port;
  throw new RelayError(
    "Nothing can listen on 127.0.0.1 here, where Postgres, the relay and what stands around it meet: this " +
      "machine has IPv6 alone. Give it IPv4 on its loopback (ip address add 127.0.0.1/8 dev lo).",
  );
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(undefined));
    probe.listen(port, "127.0.0.1", () => {
      const address = probe.address();
      const found = typeof address === "object" && address !== null ? address.port : undefined;
      probe.close(() => resolve(found));
    });
  });
}
