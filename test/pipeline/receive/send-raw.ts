import { request } from "node:http";

interface RawAnswer {
  /** 0 when the connection ended without an answer. */
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/**
 * Sends a request as it is told to, on a connection of its own: the target is not tidied, no header is added
 * but length and host.
 */
export function sendRaw(
  url: string,
  options: { method: string; target: string; headers?: Record<string, string>; body?: Uint8Array },
): Promise<RawAnswer> {
  const { method, target, headers = {}, body = new Uint8Array() } = options;
  const { hostname, port } = new URL(url);
  const length = body.length > 0 || method === "POST" ? { "content-length": String(body.length) } : {};
  return new Promise((resolve) => {
    const call = request(
      { hostname, port, method, path: target, headers: { ...headers, ...length }, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        const done = () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
          });
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", done);
        response.on("error", done);
      },
    );
    call.on("error", (error) => resolve({ status: 0, headers: {}, text: String(error) }));
    call.end(body);
  });
}
